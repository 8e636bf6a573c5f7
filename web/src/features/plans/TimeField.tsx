import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { instantOf, instantsOf, isZone, offsetName, parseWall, wallOf } from "./calendar";

interface Props {
  label: string;
  zone: string;
  value: string | undefined;
  overlap: string | undefined;
  fault?: string;
  disabled?: boolean;
  onChange: (value: string | undefined, overlap: string | undefined) => void;
}

/** A local date and 24-hour time, the instant it means, and the choices where it means none or two. */
export function TimeField({ label, zone, value, overlap, fault, disabled, onChange }: Props) {
  const { t } = useTranslation();
  const [date = "", time = ""] = (value ?? "").split(" ");
  const set = (d: string, h: string) => onChange(`${d} ${h}`.trim() || undefined, undefined);
  const wall = parseWall(value ?? "");
  const found = wall !== undefined && isZone(zone) ? instantsOf(wall, zone) : undefined;
  const instant = instantOf(value, zone, overlap);
  const gap = found && found.exact.length === 0;
  const twice = found && found.exact.length === 2;
  return (
    <span className="row wrap" style={{ gap: 6 }}>
      <input
        className={`native mono${fault ? " bad" : ""}`}
        style={{ width: 100 }}
        placeholder="2026-11-10"
        maxLength={10}
        aria-label={`${label}: ${t("plans.date")}`}
        aria-invalid={!!fault}
        value={date}
        disabled={disabled}
        onChange={(e) => set(e.target.value, time)}
      />
      <input
        className={`native mono${fault ? " bad" : ""}`}
        style={{ width: 84 }}
        aria-label={`${label}: ${t("plans.time")}`}
        aria-invalid={!!fault}
        placeholder="23:56:00"
        maxLength={8}
        value={time}
        disabled={disabled}
        onChange={(e) => set(date, e.target.value)}
      />
      {instant !== undefined && (
        <span className="soft nowrap">
          UTC{offsetName(instant, zone)} = {wallOf(instant, "UTC").slice(5)}Z
        </span>
      )}
      {fault && <span className="plan-fault">{fault}</span>}
      {gap && (
        <span className="plan-choices">
          <span className="soft">{t("plans.gapMeant")}</span>
          {found.near.map((ms) => (
            <Button
              key={ms}
              size="small"
              disabled={disabled}
              onClick={() => onChange(wallOf(ms, zone), undefined)}
            >
              {wallOf(ms, zone).slice(11)} (UTC{offsetName(ms, zone)})
            </Button>
          ))}
        </span>
      )}
      {twice && (
        <span className="plan-choices" role="group" aria-label={t("plans.overlapWhich")}>
          <span className="soft">{t("plans.overlapWhich")}</span>
          {(["earlier", "later"] as const).map((which, i) => (
            <Button
              key={which}
              size="small"
              type={overlap === which ? "primary" : "default"}
              aria-pressed={overlap === which}
              disabled={disabled}
              onClick={() => onChange(value, which)}
            >
              {t(`plans.${which}One`)} (UTC{offsetName(found.exact[i]!, zone)})
            </Button>
          ))}
        </span>
      )}
    </span>
  );
}
