import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { count, ms, share } from "../../ui/format";
import { Card, Tag, type Tone } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { healthOf, off, useWall, type Health, type WallLink, type WallStep } from "./wallApi";
import { Step } from "./WallPage";

type Row = WallLink & { scene: string; statistic: string };

const tones: Record<Health, Tone> = { ok: "good", warn: "warn", bad: "bad", silent: "" };

/** Every scene in every IDC: what the wall shows, as a table that leads to the links. */
export function Scenes() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = useWall();
  const rows = useMemo<Row[]>(
    () =>
      (query.data?.scenes ?? []).flatMap((s) =>
        s.links.map((l) => ({ ...l, scene: s.scene, statistic: s.statistic })),
      ),
    [query.data],
  );
  const regulated = query.data?.regulated ?? false;
  const columns = useMemo<Column<Row>[]>(
    () => [
      {
        key: "scene",
        title: t("scenes.name"),
        render: (r) => (
          <>
            <Link to={pathOf(r)}>
              <strong>{r.scene}</strong>
            </Link>{" "}
            <span className="soft">{r.idc}</span>
          </>
        ),
        sort: byText((r) => `${r.scene} ${r.idc}`),
      },
      {
        key: "health",
        title: t("overview.state"),
        render: (r) => <Tag tone={tones[healthOf(r)]}>{t(`overview.health.${healthOf(r)}`)}</Tag>,
        sort: byText(healthOf),
      },
      {
        key: "target",
        title: t("scenes.target"),
        num: true,
        render: (r) => ms(r.effective_ms),
        sort: byNumber((r) => r.effective_ms),
      },
      {
        key: "actual",
        title: t("scenes.actual"),
        num: true,
        render: (r) => {
          const by = off(r);
          return by === undefined ? (
            "–"
          ) : (
            <span className={by > 0.15 ? "danger" : ""}>
              {ms(r.actual_ms)}{" "}
              <small className="soft">
                {by >= 0 ? "+" : "−"}
                {Math.abs(by * 100).toFixed(0)} %
              </small>
            </span>
          );
        },
        sort: byNumber((r) => r.actual_ms),
      },
      {
        key: "gear",
        title: t("scenes.gear"),
        num: true,
        render: (r) =>
          regulated ? (
            <span className={r.step > 1 ? "warning" : ""}>
              {t("scenes.gearOf", { step: r.step, steps: r.steps })}
            </span>
          ) : (
            "–"
          ),
        sort: byNumber((r) => r.step),
      },
      {
        key: "timeouts",
        title: t("scenes.timeouts"),
        num: true,
        render: (r) => <span className={r.timeouts > 0.02 ? "danger" : ""}>{share(r.timeouts)}</span>,
        sort: byNumber((r) => r.timeouts),
      },
      {
        key: "cpu",
        title: "CPU",
        num: true,
        render: (r) => (
          <span className={r.cpu > 0.85 ? "warning" : ""}>
            {share(r.cpu, 0)} <small className="soft">{r.cpu_app}</small>
          </span>
        ),
        sort: byNumber((r) => r.cpu),
      },
      {
        key: "floor",
        title: t("overview.atFloor"),
        num: true,
        render: (r) => (
          <span className={r.at_floor ? "warning" : "soft"}>
            {r.at_floor}/{r.points}
          </span>
        ),
        sort: byNumber((r) => r.at_floor),
      },
      { key: "qps", title: "QPS", num: true, render: (r) => count(r.qps), sort: byNumber((r) => r.qps) },
    ],
    [t, regulated],
  );
  return (
    <>
      <Card title={t("scenes.title")} flush>
        <Loaded query={query} rows={3}>
          {() =>
            rows.length ? (
              <DataTable
                label={t("scenes.title")}
                columns={columns}
                rows={rows}
                rowKey={(r) => `${r.scene} ${r.idc}`}
                onOpen={(r) => void navigate(pathOf(r))}
                initialSort={{ key: "scene" }}
              />
            ) : (
              <Empty title={t("overview.noScenes")} action={<Link to="/scenes/new">{t("scenes.new")}</Link>}>
                {t("scenes.noneHint")}
              </Empty>
            )
          }
        </Loaded>
      </Card>
      {query.data && query.data.next.length > 0 && (
        <Next steps={query.data.next} at={query.data.at} key={query.data.at} />
      )}
    </>
  );
}

const pathOf = (r: Row) => `/scenes/${encodeURIComponent(r.scene)}?idc=${encodeURIComponent(r.idc)}`;

function Next({ steps, at }: { steps: WallStep[]; at: string }) {
  const { t } = useTranslation();
  return (
    <Card title={t("overview.next")}>
      <ol className="stack" style={{ listStyle: "none", margin: 0, padding: 0, gap: 4 }}>
        {steps.map((s) => (
          <Step key={`${s.plan}/${s.step}/${s.start}`} step={s} now={Date.parse(at)} />
        ))}
      </ol>
    </Card>
  );
}
