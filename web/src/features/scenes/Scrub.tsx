import { Button } from "antd";
import { useEffect, useState } from "react";
import { useTranslation } from "react-i18next";
import { clock } from "../../ui/format";
import { minuteOf, spans } from "./links";

/** The newest minute that history is sure to hold lies two minutes back. */
const newest = 2;

/** How many minutes a moment lies back, within the span. */
const back = (at: string | undefined, hours: number) =>
  at
    ? Math.min(hours * 60, Math.max(newest, Math.round((Date.now() - Date.parse(at)) / 60_000)))
    : newest - 1;

/**
 * Moves through the minutes of the last hours; its right end is now. While the
 * thumb moves only the clock beside it follows: a minute is asked for when it rests.
 */
export function Scrub(props: {
  at: string | undefined;
  hours: number;
  onChange: (change: { at?: string; hours?: string }) => void;
}) {
  const { t } = useTranslation();
  const { at, hours, onChange } = props;
  const [moving, setMoving] = useState<number>();
  const value = moving ?? back(at, hours);
  const live = value < newest;
  useEffect(() => {
    if (moving === undefined) return;
    const timer = setTimeout(() => {
      onChange({ at: moving < newest ? undefined : minuteOf(Date.now() - moving * 60_000) });
      setMoving(undefined);
    }, 150);
    return () => clearTimeout(timer);
  }, [moving, onChange]);
  const shown = live
    ? t("scenes.now")
    : clock(moving === undefined && at ? at : minuteOf(Date.now() - value * 60_000));
  return (
    <div className="scene-scrub">
      <select
        className="native"
        aria-label={t("scenes.span")}
        value={hours}
        onChange={(e) => onChange({ hours: e.target.value === "1" ? undefined : e.target.value })}
      >
        {spans.map((h) => (
          <option key={h} value={h}>
            {t("scenes.hours", { count: h })}
          </option>
        ))}
      </select>
      <input
        type="range"
        aria-label={t("scenes.moment")}
        aria-valuetext={shown}
        min={-hours * 60}
        max={1 - newest}
        step={1}
        value={-value}
        onChange={(e) => setMoving(-Number(e.target.value))}
      />
      <output>{shown}</output>
      <Button size="small" disabled={live} onClick={() => onChange({ at: undefined })}>
        {t("scenes.backToNow")}
      </Button>
    </div>
  );
}
