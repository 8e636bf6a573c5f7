import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Tag, type Tone } from "../../ui/marks";
import type { Alert } from "./api";

const tones: Record<Alert["state"], Tone> = { firing: "bad", acked: "info", silenced: "", resolved: "good" };

export function StateTag({ alert: a }: { alert: Alert }) {
  const { t } = useTranslation();
  return <Tag tone={tones[a.state]}>{t(`alerts.states.${a.state}`)}</Tag>;
}

export function SeverityTag({ severity }: { severity: Alert["severity"] }) {
  const { t } = useTranslation();
  return <Tag tone={severity === "critical" ? "bad" : "warn"}>{t(`alerts.severities.${severity}`)}</Tag>;
}

const named = (s: string | undefined): s is string => !!s && s !== "*";

/** Where the alert is, linked to the point, the agent, the plan or the group. */
export function Where({ alert: a }: { alert: Pick<Alert, "scope" | "kind"> }) {
  const { app, idc, scene, point, instance, object } = a.scope;
  const parts = [];
  if (named(app) && named(idc) && named(point))
    parts.push(
      <Link
        key="point"
        to={`/points/${[scene || "*", idc, app, point].map(encodeURIComponent).join("/")}`}
        className="mono"
      >
        {scene || "*"}/{idc}/{app}/{point}
      </Link>,
    );
  else
    parts.push(
      <span key="place" className="mono">
        {[app, idc].filter(Boolean).join("/") || "*"}
      </span>,
    );
  if (named(instance))
    parts.push(
      <Link key="agent" to={`/agents/${encodeURIComponent(instance)}`} className="mono">
        {instance}
      </Link>,
    );
  if (named(object))
    parts.push(
      a.kind === "quota_fallback" ? (
        <Link key="object" to={`/quota/${encodeURIComponent(object)}`}>
          {object}
        </Link>
      ) : (
        <span key="object">{object}</span>
      ),
    );
  return (
    <span className="row" style={{ gap: "2px 10px", flexWrap: "wrap" }}>
      {parts}
    </span>
  );
}

/** A span of time in the two largest units that matter. */
export function span(from: string, to: string | number | undefined): string {
  const end = to === undefined ? Date.now() : typeof to === "string" ? Date.parse(to) : to;
  const s = Math.max(0, Math.round((end - Date.parse(from)) / 1000));
  if (s < 60) return `${s} s`;
  if (s < 3600) return `${Math.floor(s / 60)} min ${s % 60} s`;
  if (s < 86400) return `${Math.floor(s / 3600)} h ${Math.floor((s % 3600) / 60)} min`;
  return `${Math.floor(s / 86400)} d ${Math.floor((s % 86400) / 3600)} h`;
}
