import { useTranslation } from "react-i18next";
import type { Agent } from "../../api/types";
import { said } from "../../said/said";
import { Tag, type Tone } from "../../ui/marks";

const tones: Record<string, Tone> = { connected: "good", stale: "warn", disconnected: "", banned: "bad" };

export function StateTag({ agent }: { agent: Agent }) {
  const { t } = useTranslation();
  return (
    <Tag tone={tones[agent.state]} title={agent.banned}>
      {t(`agents.states.${agent.state}`)}
    </Tag>
  );
}

/** What it holds; a disconnected agent's is never shown as current. */
export function Held({ agent: a }: { agent: Agent }) {
  const { t } = useTranslation();
  const here = a.state === "connected" || a.state === "stale";
  return (
    <span className="row" style={{ gap: 6 }}>
      <span className={here ? "" : "soft"}>#{a.held.revision}</span>
      {!here ? (
        <span className="soft">{t("agents.lastKnown")}</span>
      ) : a.held.revision === 0 ? (
        <span className="soft">{t("agents.noOrders")}</span>
      ) : a.current ? (
        <span className="success">{t("agents.current")}</span>
      ) : (
        <span className="warning">{t("agents.behind")}</span>
      )}
    </span>
  );
}

export function Rung({ agent: a }: { agent: Agent }) {
  const { t } = useTranslation();
  if (a.state === "disconnected" || a.state === "banned") return <span className="soft">–</span>;
  // An app without orders serves its own defaults: that is no fallback.
  const fell = a.rung !== "live" && a.held.revision > 0;
  return <Tag tone={fell ? "warn" : ""}>{t(`agents.rungs.${a.rung}`)}</Tag>;
}

export function LastAck({ agent: a }: { agent: Agent }) {
  const { t } = useTranslation();
  if (!a.last_ack) return <span className="soft">–</span>;
  if (!a.last_ack.refused) return <span>{t("agents.acked", { revision: a.last_ack.version.revision })}</span>;
  return (
    <span className="danger" title={(a.last_ack.problems ?? []).map((p) => said(p.message)).join("\n")}>
      {t("agents.refused", { revision: a.last_ack.version.revision })}:{" "}
      {said(a.last_ack.problems?.[0]?.message)}
    </span>
  );
}
