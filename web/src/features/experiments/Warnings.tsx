import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { Icon } from "../../ui/icons";
import type { Experiment, Result } from "./api";

/** What must be known before any lift is believed. */
export function Warnings({ experiment: x, result: r }: { experiment: Experiment; result: Result }) {
  const { t } = useTranslation();
  const nothing = x.state === "running" && r.series.length === 0;
  return (
    <div aria-live="polite" className="stack" style={{ gap: 6 }}>
      {r.ratio?.mismatch && (
        <div className="note bad row" role="alert">
          <Icon name="warn" size={14} />
          <span>
            <strong>{t("experiments.mismatch")}</strong>{" "}
            {t("experiments.mismatchHint", { p: r.ratio.p.toExponential(1) })}
          </span>
        </div>
      )}
      {r.overrides.length > 0 && (
        <div className="note warn row">
          <Icon name="warn" size={14} />
          <span>
            {t("experiments.overridden", { n: r.overrides.length })}{" "}
            {r.overrides.slice(0, 3).map((c) => (
              <Link
                key={c.id}
                to={`/points?app=${encodeURIComponent(c.scope.app ?? "*")}`}
                style={{ marginRight: 8 }}
              >
                {c.value} · {c.author}
              </Link>
            ))}
          </span>
        </div>
      )}
      {nothing && (
        <div className="note row">
          <span>{t("experiments.waiting", { point: `${x.measure.app}/${x.measure.point}` })}</span>
        </div>
      )}
      {!r.final && r.series.length > 0 && (
        <div className="note row">
          <span>{t(x.state === "running" ? "experiments.early" : "experiments.earlyEnd")}</span>
        </div>
      )}
    </div>
  );
}
