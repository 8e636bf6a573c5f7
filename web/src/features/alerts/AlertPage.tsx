import "./alerts.css";
import { Button } from "antd";
import { useState, type ReactNode } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { CopyAs } from "../../ui/CopyAs";
import { dateTime } from "../../ui/format";
import { Card, PageHead, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { AckDialog } from "./AckDialog";
import { useAlert, type AlertDetail } from "./api";
import { SeverityTag, span, StateTag, Where } from "./marks";
import { SilenceDialog } from "./SilenceDialog";

export function AlertPage() {
  const { alert = "" } = useParams();
  const query = useAlert(alert);
  return (
    <div className="page">
      <Loaded query={query}>{(a) => <Detail alert={a} />}</Loaded>
    </div>
  );
}

function Detail({ alert: a }: { alert: AlertDetail }) {
  const { t } = useTranslation();
  const may = useCan("claim");
  const [asking, setAsking] = useState<"ack" | "silence">();
  const open = a.state !== "resolved";
  // Shares are percent, numbers of agents are not.
  const figure = (v: number) =>
    /^(agent_|quota_)/.test(a.kind)
      ? String(v)
      : a.kind === "input_silent"
        ? `${v.toFixed(1)}/s`
        : `${(v * 100).toFixed(0)} %`;
  const facts: [string, ReactNode][] = [
    [t("alerts.where"), <Where key="w" alert={a} />],
    [
      t("alerts.seen"),
      a.kind === "plan_missed"
        ? "–"
        : `${figure(a.value)}${a.limit ? ` (${t("alerts.limit")} ${figure(a.limit)})` : ""}`,
    ],
    [t("alerts.started"), dateTime(a.started_at)],
    [t("alerts.fired"), `${dateTime(a.fired_at)} · ${t("alerts.stands")} ${span(a.fired_at, a.resolved_at)}`],
    ...(a.resolved_at
      ? [
          [t("alerts.resolved"), `${dateTime(a.resolved_at)} · ${said(a.ending) ?? ""}`] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ...(a.acked_by
      ? [
          [t("alerts.ackedBy"), `${a.acked_by} · ${dateTime(a.acked_at)}${a.note ? ` · ${a.note}` : ""}`] as [
            string,
            ReactNode,
          ],
        ]
      : []),
    ...(a.silence
      ? [
          [
            t("alerts.states.silenced"),
            <Link key="s" to="/alerts?tab=silences">
              {t("alerts.tabs.silences")}
            </Link>,
          ] as [string, ReactNode],
        ]
      : []),
  ];
  return (
    <>
      <PageHead
        title={t(`alerts.kinds.${a.kind}`)}
        actions={
          <>
            <CopyAs yaml={() => a} cli={`allspark alerts show ${a.id}`} />
            {may && open && !a.silence && (
              <Button onClick={() => setAsking("silence")}>{t("alerts.silence")}</Button>
            )}
            {may && open && !a.acked_by && (
              <Button type="primary" onClick={() => setAsking("ack")}>
                {t("alerts.ack")}
              </Button>
            )}
          </>
        }
      >
        <StateTag alert={a} />
        <SeverityTag severity={a.severity} />
      </PageHead>
      <div className={`note ${open ? "bad" : ""}`}>{said(a.reason)}</div>
      <div className="columns">
        <div className="stack">
          <Card title={t("alerts.facts")}>
            <dl className="facts">
              {facts.map(([k, v]) => (
                <div key={k} style={{ display: "contents" }}>
                  <dt>{k}</dt>
                  <dd>{v}</dd>
                </div>
              ))}
            </dl>
          </Card>
          {a.places.length > 1 && (
            <Card title={t("alerts.places", { count: a.places.length })}>
              <div className="mono">{a.places.join(" · ")}</div>
            </Card>
          )}
          <Card title={t("alerts.told")} flush>
            {a.deliveries.length === 0 ? (
              <div className="body soft">{t(a.silence ? "alerts.toldSilenced" : "alerts.toldNobody")}</div>
            ) : (
              <table className="data" aria-label={t("alerts.told")}>
                <thead>
                  <tr>
                    {["sink", "event", "state", "attempts", "at"].map((k) => (
                      <th key={k}>{t(`alerts.delivery.${k}`)}</th>
                    ))}
                  </tr>
                </thead>
                <tbody>
                  {a.deliveries.map((d) => (
                    <tr key={`${d.sink} ${d.event}`}>
                      <td>{d.sink || "–"}</td>
                      <td>{t(`alerts.events.${d.event}`)}</td>
                      <td>
                        <Tag tone={d.state === "sent" ? "good" : d.state === "given_up" ? "bad" : "warn"}>
                          {t(`alerts.deliveries.${d.state}`)}
                        </Tag>
                        {d.error && (
                          <div className="danger" style={{ whiteSpace: "normal" }}>
                            {d.error}
                          </div>
                        )}
                      </td>
                      <td>{d.attempts}</td>
                      <td>{dateTime(d.sent_at ?? d.at)}</td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
        </div>
        <Card title={t("alerts.plans")} flush>
          {a.plans.length === 0 ? (
            <div className="body soft">{t("alerts.noPlans")}</div>
          ) : (
            <table className="data" aria-label={t("alerts.plans")}>
              <tbody>
                {a.plans.map((p) => (
                  <tr key={p.id}>
                    <td style={{ whiteSpace: "normal", overflowWrap: "anywhere" }}>
                      <Link to={`/plans/${encodeURIComponent(p.id)}`}>
                        <strong>{p.name}</strong>
                      </Link>
                      {p.purpose && <div className="soft">{p.purpose}</div>}
                      <div className="soft">
                        {p.steps.join(", ")}
                        {p.next && ` · ${dateTime(p.next)}`}
                      </div>
                    </td>
                    <td className="num">
                      <Tag>{t(`plans.state.${p.state}`)}</Tag>
                    </td>
                  </tr>
                ))}
              </tbody>
            </table>
          )}
        </Card>
      </div>
      {asking === "ack" && <AckDialog alert={a} onClose={() => setAsking(undefined)} />}
      {asking === "silence" && <SilenceDialog alert={a} onClose={() => setAsking(undefined)} />}
    </>
  );
}
