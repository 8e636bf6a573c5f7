import "./experiments.css";
import { Button } from "antd";
import { lazy, Suspense, useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useParams } from "react-router";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { reasonBy } from "../../ui/cause";
import { CopyAs } from "../../ui/CopyAs";
import { showExperiment } from "../../ui/commands";
import { dateTime } from "../../ui/format";
import { PageHead, Tag } from "../../ui/marks";
import { Empty, Loaded, Skeleton } from "../../ui/states";
import { remove, start, stop, useExperiment, useResult, type Experiment } from "./api";
import { ArmsTable } from "./ArmsTable";
import { documentOf, settingsOf, short } from "./draft";
import { Edit } from "./Form";
import { State } from "./marks";
import { Warnings } from "./Warnings";

const Courses = lazy(() => import("./Courses"));

export function DetailPage() {
  const { experiment = "" } = useParams();
  const query = useExperiment(experiment);
  return (
    <div className="page">
      <Loaded query={query}>{(x) => <Detail key={x.id} experiment={x} />}</Loaded>
    </div>
  );
}

type Doing = "start" | "stop" | "delete";

function Detail({ experiment: x }: { experiment: Experiment }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useCan("claim");
  const [editing, setEditing] = useState(false);
  const [doing, setDoing] = useState<Doing>();
  const result = useResult(x.id, x.state === "running");
  const scope = [x.scope.scene, x.scope.idc, x.scope.app, x.scope.point].join("/");
  const act: Record<Doing, (reason: string) => Promise<unknown>> = {
    start: (reason) => start(x.id, reason),
    stop: (reason) => stop(x.id, reason),
    delete: async (reason) => {
      await remove(x, reason);
      await navigate("/experiments");
    },
  };
  return (
    <>
      <PageHead
        title={x.name}
        actions={
          <>
            <CopyAs yaml={() => documentOf(x)} cli={showExperiment(x.name)} />
            {may && x.state === "draft" && <Button onClick={() => setEditing(true)}>{t("ui.edit")}</Button>}
            {may && x.state === "draft" && (
              <Button type="primary" onClick={() => setDoing("start")}>
                {t("experiments.start")}
              </Button>
            )}
            {may && x.state === "running" && (
              <Button danger onClick={() => setDoing("stop")}>
                {t("experiments.stop")}
              </Button>
            )}
            {may && x.state !== "running" && (
              <Button onClick={() => setDoing("delete")}>{t("ui.delete")}</Button>
            )}
          </>
        }
      >
        <State experiment={x} />
        {x.same && <Tag>{t("experiments.aa")}</Tag>}
        <span className="soft">{x.reason}</span>
      </PageHead>
      <dl className="experiment-facts">
        <div>
          <dt>{t("experiments.scope")}</dt>
          <dd className="mono">{scope}</dd>
        </div>
        <div>
          <dt>{t("experiments.measured")}</dt>
          <dd className="mono">
            {x.measure.app}/{x.measure.point}
          </dd>
        </div>
        <div>
          <dt>{t("experiments.duration")}</dt>
          <dd>{short(x.duration)}</dd>
        </div>
        {x.state === "draft" && (
          <div>
            <dt>{t("experiments.arms")}</dt>
            {x.arms.map((a) => (
              <dd key={a.name}>
                {[a.name, `${a.share} %`, settingsOf(a) || t("experiments.asItIs")].join(" · ")}
              </dd>
            ))}
          </div>
        )}
        {x.started_at && (
          <div>
            <dt>{t("experiments.started")}</dt>
            <dd>
              {dateTime(x.started_at)} · {x.started_by}
            </dd>
          </div>
        )}
        {x.ends_at && (
          <div>
            <dt>{t("experiments.end")}</dt>
            <dd>
              {dateTime(x.ended_at ?? x.ends_at)}
              {x.ended_by && ` · ${x.ended_by}: ${reasonBy(x.ended_by, x.ending)}`}
            </dd>
          </div>
        )}
      </dl>
      {x.state === "draft" ? (
        <Empty title={t("experiments.notStarted")}>{t("experiments.notStartedHint")}</Empty>
      ) : (
        <Loaded query={result}>
          {(r) => (
            <>
              <Warnings experiment={x} result={r} />
              <ArmsTable experiment={x} result={r} />
              <Suspense fallback={<Skeleton rows={4} />}>
                {r.series.length > 0 && <Courses experiment={x} result={r} />}
              </Suspense>
            </>
          )}
        </Loaded>
      )}
      {editing && (
        <Edit
          experiment={x}
          onClose={() => setEditing(false)}
          onDone={(saved) =>
            void navigate(`/experiments/${encodeURIComponent(saved.name)}`, { replace: true })
          }
        />
      )}
      {doing && (
        <Ask
          title={t(`experiments.ask.${doing}`, { name: x.name })}
          ok={doing === "delete" ? t("ui.delete") : t(`experiments.${doing}`)}
          danger={doing !== "start"}
          needReason={doing === "stop"}
          onClose={() => setDoing(undefined)}
          onOk={act[doing]}
        >
          {t(`experiments.askHint.${doing}`, { duration: short(x.duration), n: x.arms.length })}
        </Ask>
      )}
    </>
  );
}
