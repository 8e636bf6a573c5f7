import { App, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams } from "react-router";
import { useCan } from "../../api/session";
import type { Agent } from "../../api/types";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { showAgent } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { dateTime, ms, share, useAgo } from "../../ui/format";
import { Card, PageHead, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { ban, unban, useAgent } from "./api";
import { Held, LastAck, Rung, StateTag } from "./marks";

export function AgentPage() {
  const { instance = "" } = useParams();
  const query = useAgent(instance);
  return (
    <div className="page">
      <Loaded query={query}>{(a) => <Detail agent={a} />}</Loaded>
    </div>
  );
}

function Detail({ agent: a }: { agent: Agent }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const ago = useAgo();
  const may = useCan("agents");
  const [asking, setAsking] = useState(false);
  const banned = a.state === "banned";
  const here = a.state === "connected" || a.state === "stale";
  return (
    <>
      <PageHead
        title={<span className="mono">{a.instance}</span>}
        actions={
          <>
            <CopyAs yaml={() => a} cli={showAgent(a.instance)} />
            {may && (
              <Button danger={!banned} onClick={() => setAsking(true)}>
                {t(banned ? "agents.unban" : "agents.ban")}
              </Button>
            )}
          </>
        }
      >
        <StateTag agent={a} />
        <Rung agent={a} />
        <Held agent={a} />
      </PageHead>
      {!here && <div className="note warn">{t("agents.notCurrent", { seen: dateTime(a.seen_at) })}</div>}
      {banned && a.banned && <div className="note bad">{a.banned}</div>}
      <div className="columns">
        <div className="stack">
          <Card title={t("agents.declares")} flush>
            {(a.points ?? []).length === 0 ? (
              <div className="body soft">{t("agents.noPoints")}</div>
            ) : (
              <table className="data" aria-label={t("agents.declares")}>
                <thead>
                  <tr>
                    <th>{t("points.point")}</th>
                    <th>{t("agents.parameters")}</th>
                  </tr>
                </thead>
                <tbody>
                  {(a.points ?? []).map((p) => (
                    <tr key={p.name}>
                      <td>
                        <Link
                          to={`/points?app=${encodeURIComponent(a.app)}&idc=${encodeURIComponent(a.idc)}&q=${encodeURIComponent(p.name)}`}
                        >
                          {p.name}
                        </Link>{" "}
                        {p.external && <Tag>{t("points.external")}</Tag>}
                      </td>
                      <td className="mono" style={{ whiteSpace: "normal" }}>
                        {(p.parameters ?? [])
                          .map(
                            (x) =>
                              `${x.name}: ${x.type}${x.min !== undefined || x.max !== undefined ? ` ${text(x.min)}..${text(x.max)}` : ""}${x.unit ? ` ${x.unit}` : ""}`,
                          )
                          .join(", ")}
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
          {a.last_ack?.refused && (
            <div className="problem">
              <strong>{t("agents.refused", { revision: a.last_ack.version.revision })}</strong>
              <ul>
                {(a.last_ack.problems ?? []).map((p, i) => (
                  <li key={i}>
                    {p.path && <code>{p.path}: </code>}
                    {said(p.message)}
                  </li>
                ))}
              </ul>
            </div>
          )}
        </div>
        <Card title={t("agents.facts")}>
          <dl className="facts">
            <dt>{t("agents.app")}</dt>
            <dd>{a.app}</dd>
            <dt>{t("agents.idc")}</dt>
            <dd>{a.idc}</dd>
            <dt>{t("agents.host")}</dt>
            <dd>{a.host}</dd>
            <dt>{t("agents.address")}</dt>
            <dd className="mono">{a.address || "–"}</dd>
            <dt>{t("agents.build")}</dt>
            <dd>{a.build}</dd>
            <dt>SDK</dt>
            <dd>{a.sdk}</dd>
            <dt>{t("agents.lastAck")}</dt>
            <dd>
              <LastAck agent={a} /> <span className="soft">{ago(a.last_ack_at)}</span>
            </dd>
            <dt>{t("agents.clock")}</dt>
            <dd>{here ? ms(a.clock_offset_ms) : "–"}</dd>
            <dt>CPU</dt>
            <dd>{here ? share(a.cpu, 0) : "–"}</dd>
            <dt>{t("agents.report")}</dt>
            <dd>{ago(a.last_report_at)}</dd>
            <dt>{t("agents.connectedAt")}</dt>
            <dd>{dateTime(a.connected_at)}</dd>
            <dt>{t("agents.startedAt")}</dt>
            <dd>{dateTime(a.started_at)}</dd>
            <dt>{t("agents.replica")}</dt>
            <dd>{a.replica || "–"}</dd>
            <dt>{t("agents.capabilities")}</dt>
            <dd>
              <span className="tags">
                {(a.capabilities ?? []).map((c) => (
                  <Tag key={c}>{c}</Tag>
                ))}
              </span>
            </dd>
          </dl>
        </Card>
      </div>
      {asking && (
        <Ask
          title={t(banned ? "agents.unbanTitle" : "agents.banTitle", { instance: a.instance })}
          ok={t(banned ? "agents.unban" : "agents.ban")}
          danger={!banned}
          needReason
          onClose={() => setAsking(false)}
          onOk={async (reason) => {
            await (banned ? unban : ban)(a.instance, reason);
            void message.success(t("ui.done"));
          }}
        >
          {t(banned ? "agents.unbanHint" : "agents.banHint")}
        </Ask>
      )}
    </>
  );
}

/** A bound of a parameter: numbers and texts, nothing else. */
const text = (v: unknown) => (typeof v === "number" || typeof v === "string" ? String(v) : "");
