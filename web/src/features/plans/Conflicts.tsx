import { useTranslation } from "react-i18next";
import { Tag } from "../../ui/marks";
import { Wall } from "./marks";
import type { PlanConflict } from "./types";

/** Two wishes for one field of one place at one time, and what comes of it. */
export function Conflicts({ rows, zone }: { rows: PlanConflict[]; zone: string }) {
  const { t } = useTranslation();
  if (!rows.length) return <div className="body soft">{t("plans.noConflicts")}</div>;
  return (
    <ul className="why" data-testid="conflicts">
      {rows.slice(0, 30).map((c, i) => (
        <li key={i} style={{ gridTemplateColumns: "minmax(0,1fr)", color: "var(--text)" }}>
          <span className="row wrap">
            <Tag tone="warn">{t(`plans.field.${c.field}`, { defaultValue: c.field })}</Tag>
            <strong>{c.step}</strong>
            <span className="soft">
              {[c.scope.scene, c.scope.idc, c.scope.app, c.scope.point].map((x) => x || "*").join(" / ")}
            </span>
          </span>
          <span>{t("plans.meets", { with: c.with })}</span>
          <small style={{ gridColumn: 1 }}>
            <Wall at={c.from} zone={zone} /> → <Wall at={c.to} zone={zone} date={false} /> · {c.outcome}
          </small>
        </li>
      ))}
    </ul>
  );
}
