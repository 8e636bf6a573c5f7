import { useQuery } from "@tanstack/react-query";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { client, take } from "../../api/client";
import { asProblem } from "../../api/problem";
import { useProgress } from "../../api/rollout";
import type { ChangeDetail, Order } from "../../api/types";
import { said } from "../../said/said";
import { causeOf } from "../../ui/cause";
import { showChange } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { dateTime, ms } from "../../ui/format";
import { Card, PageHead, Tag } from "../../ui/marks";
import { ProgressDetail, UndoButton } from "../../ui/Rollout";
import { Loaded, Missing } from "../../ui/states";

export function ChangePage() {
  const { t } = useTranslation();
  const revision = Number(useParams().revision);
  const known = Number.isSafeInteger(revision) && revision > 0;
  const query = useQuery({
    queryKey: ["changes", "one", revision],
    enabled: known,
    queryFn: ({ signal }) =>
      take<ChangeDetail>(
        client.GET("/api/v1/changes/{revision}", { params: { path: { revision } }, signal }),
      ),
  });
  const progress = useProgress(known ? revision : undefined);
  if (!known)
    return (
      <div className="page">
        <Missing status={404} />
      </div>
    );
  return (
    <div className="page">
      <Loaded query={query}>
        {(c) => (
          <>
            <PageHead
              title={`#${c.version.revision}`}
              actions={
                <>
                  <CopyAs yaml={() => c} cli={showChange(c.version.revision)} />
                  <UndoButton revision={c.version.revision} undo={c.undo} />
                </>
              }
            >
              <Tag>{c.app}</Tag>
              <Tag>{c.idc}</Tag>
              <span className="soft">{dateTime(c.at)}</span>
            </PageHead>
            <div className="note">{causeOf(t, c)}</div>
            <Card title={t("changes.progress")}>
              {progress.data ? (
                <ProgressDetail progress={progress.data} />
              ) : (
                <span className="soft">
                  {progress.error ? said(asProblem(progress.error).message) : t("ui.loading")}
                </span>
              )}
            </Card>
            <Card title={t("changes.differences", { count: c.differences?.length ?? 0 })} flush>
              <div className="table-box">
                <table
                  className="data"
                  aria-label={t("changes.differences", { count: c.differences?.length ?? 0 })}
                >
                  <thead>
                    <tr>
                      <th>{t("points.scene")}</th>
                      <th>{t("points.point")}</th>
                      <th>{t("ui.before")}</th>
                      <th>{t("ui.after")}</th>
                    </tr>
                  </thead>
                  <tbody>
                    {(c.differences ?? []).map((d, i) => (
                      <tr key={i}>
                        <td>{d.scene}</td>
                        <td>
                          <Link
                            to={`/points/${[d.scene, c.idc, c.app, d.point].map(encodeURIComponent).join("/")}`}
                          >
                            {d.point}
                          </Link>
                        </td>
                        <td>{d.before ? <OrderText order={d.before} other={d.after} old /> : "–"}</td>
                        <td>{d.after ? <OrderText order={d.after} other={d.before} /> : "–"}</td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            </Card>
          </>
        )}
      </Loaded>
    </div>
  );
}

/** One order in a line; what differs from the other side is marked. */
function OrderText({ order, other, old }: { order: Order; other: Order | undefined; old?: boolean }) {
  const { t } = useTranslation();
  const texts = (o: Order | undefined) =>
    o
      ? [
          `${t("points.level")} ${o.level} (${o.min_level}–${o.max_level})`,
          o.strategy,
          o.available_rt_ms ? ms(o.available_rt_ms) : "",
          o.timeout_ms ? ms(o.timeout_ms) : "",
          `${o.template} v${o.template_version}`,
          ...(o.parameters ?? []).map(
            (p) => `${p.name}=${typeof p.value === "string" ? p.value : JSON.stringify(p.value)}`,
          ),
        ]
      : [];
  const theirs = new Set(texts(other));
  return (
    <span className="row wrap" style={{ gap: 6, whiteSpace: "normal" }}>
      {texts(order)
        .filter(Boolean)
        .map((x) => (
          <span key={x} className={theirs.has(x) ? "soft" : `diff-value ${old ? "old" : "new"}`}>
            {x}
          </span>
        ))}
    </span>
  );
}
