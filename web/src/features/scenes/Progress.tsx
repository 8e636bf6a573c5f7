import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { Tag } from "../../ui/marks";
import type { SceneLink } from "./types";

/** Where a change of the target stands: applied, held, handed over. Ahead is how far reference time is before the browser's, ms. */
export function Progress({ link, ahead }: { link: SceneLink; ahead: number }) {
  const { t } = useTranslation();
  const [now, setNow] = useState(() => Date.now() + ahead);
  const preset = link.phase === "preset";
  useEffect(() => {
    if (!preset) return;
    const timer = setInterval(() => setNow(Date.now() + ahead), 250);
    return () => clearInterval(timer);
  }, [preset, ahead]);
  const until = link.until ? Date.parse(link.until) : 0;
  const since = link.since ? Date.parse(link.since) : 0;
  const left = Math.max(0, until - now);
  const phases = {
    idle: "scenes.phases.idle",
    preset: "scenes.phases.preset",
    feedback: "scenes.phases.feedback",
  };
  return (
    <section className="card" aria-label={t("scenes.phase")} aria-live="polite">
      <div className="body scene-progress">
        <Tag tone={preset ? "warn" : link.phase === "feedback" ? "good" : ""}>{t(phases[link.phase])}</Tag>
        {preset && (
          <>
            <progress
              aria-label={t("scenes.held")}
              max={Math.max(until - since, 1)}
              value={Math.min(now - since, until - since)}
            />
            <span>{t("scenes.left", { s: Math.ceil(left / 1000) })}</span>
            <span className="soft">{t("scenes.held")}</span>
          </>
        )}
        {link.phase === "feedback" && <span className="soft">{t("scenes.handed")}</span>}
        <span>{said(link.trouble || link.reason)}</span>
      </div>
    </section>
  );
}
