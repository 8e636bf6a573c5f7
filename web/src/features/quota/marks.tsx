import { useTranslation } from "react-i18next";
import { share } from "../../ui/format";
import { Tag } from "../../ui/marks";
import type { QuotaState } from "./types";
import "./quota.css";

const tones = { live: "good", off: "", lost: "bad" } as const;

export function StateTag({ state, title }: { state: QuotaState["status"]["state"]; title?: string }) {
  const { t } = useTranslation();
  return (
    <Tag tone={tones[state]} title={title}>
      {t(`quota.state.${state}`)}
    </Tag>
  );
}

/** The window's sum as a share of the budget. */
export function Meter({ share: v }: { share: number | undefined }) {
  if (v === undefined || !Number.isFinite(v)) return <span className="soft">–</span>;
  return (
    <span className={`quota-meter${v > 1.1 ? " over" : ""}`}>
      <span className="bar" aria-hidden="true">
        <i style={{ width: `${Math.min(v, 1) * 100}%` }} />
      </span>
      <span>{share(v, 0)}</span>
    </span>
  );
}

/** How the agents stand: by width and by number. */
export function Crew({ crew }: { crew: QuotaState["status"]["crew"] }) {
  const { t } = useTranslation();
  const rungs = ["live", "returning", "fallback"] as const;
  const all = Math.max(crew.agents, 1);
  return (
    <div className="stack" style={{ gap: 8 }}>
      <div className="quota-crew" aria-hidden="true">
        {rungs.map((r) => (
          <i key={r} className={`rung-${r}`} style={{ width: `${(100 * crew[r]) / all}%` }} />
        ))}
      </div>
      <dl className="facts">
        {rungs.map((r) => (
          <Rung key={r} name={t(`quota.rung.${r}`)} n={crew[r]} hint={t(`quota.rungHint.${r}`)} />
        ))}
        <Rung name={t("quota.capped")} n={crew.capped} hint={t("quota.cappedHint")} />
      </dl>
    </div>
  );
}

function Rung(props: { name: string; n: number; hint: string }) {
  return (
    <>
      <dt>{props.name}</dt>
      <dd>
        <strong>{props.n}</strong> <span className="soft">{props.hint}</span>
      </dd>
    </>
  );
}
