import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { said } from "../../said/said";
import { isTime } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { exportURL, useWarLog, type Seen } from "./api";
import { Wall } from "./marks";

/** What happened around the plan, from the journal and the audit log. */
export default function LogTab({ plan }: { plan: Seen }) {
  const { t } = useTranslation();
  const query = useWarLog(plan.id);
  const wall = (at: string | undefined) =>
    isTime(at) ? <Wall at={at} zone={plan.zone} /> : <span className="soft">–</span>;
  return (
    <Loaded query={query}>
      {(log) => (
        <>
          <Card
            title={t("plans.logSteps")}
            flush
            actions={
              <Button size="small" href={exportURL(plan.name, "md")}>
                {t("plans.export.md")}
              </Button>
            }
          >
            {log.steps.length === 0 ? (
              <div className="body soft">{t("plans.logNone")}</div>
            ) : (
              <table className="data" aria-label={t("plans.logSteps")}>
                <thead>
                  <tr>
                    <th>{t("plans.step")}</th>
                    <th>{t("plans.occurrence")}</th>
                    <th>{t("plans.stateLabel")}</th>
                    <th>{t("plans.start")}</th>
                    <th className="num">{t("plans.late")}</th>
                    <th>{t("plans.end")}</th>
                    <th>{t("ui.reason")}</th>
                  </tr>
                </thead>
                <tbody>
                  {log.steps.map((s) => (
                    <tr key={`${s.occurrence} ${s.step}`}>
                      <td>
                        <strong>{s.step}</strong>
                      </td>
                      <td className="soft">{s.occurrence.replace("T", " ")}</td>
                      <td>
                        <span className="row">
                          {t(`plans.runState.${s.state}`)}
                          {s.staged && <Tag tone="info">{t("plans.wasStaged")}</Tag>}
                        </span>
                      </td>
                      <td>{wall(s.start)}</td>
                      <td className="num">{s.late_ms === undefined ? "–" : `${s.late_ms} ms`}</td>
                      <td>{wall(s.end)}</td>
                      <td title={said(s.reason)}>{said(s.reason) || "–"}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
          <Card
            title={t("plans.tabs.log")}
            flush
            actions={log.truncated && <Tag tone="warn">{t("plans.logTruncated")}</Tag>}
          >
            {log.lines.length === 0 ? (
              <Empty title={t("plans.logNone")} />
            ) : (
              <table className="data plan-log" aria-label={t("plans.tabs.log")} data-testid="war-log">
                <thead>
                  <tr>
                    <th>{t("plans.at")}</th>
                    <th>{t("plans.source")}</th>
                    <th>{t("plans.who")}</th>
                    <th>{t("plans.what")}</th>
                  </tr>
                </thead>
                <tbody>
                  {log.lines.map((l, i) => (
                    <tr key={i}>
                      <td>{wall(l.at)}</td>
                      <td>
                        <Tag tone={l.source === "journal" ? "info" : ""}>
                          {t(`plans.sources.${l.source}`)}
                        </Tag>
                      </td>
                      <td>{l.who}</td>
                      <td className="wrap">
                        {l.revision ? (
                          <Link className="in-text" to={`/changes/${l.revision}`}>
                            #{l.revision}
                          </Link>
                        ) : null}{" "}
                        {said(l.what)}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
        </>
      )}
    </Loaded>
  );
}
