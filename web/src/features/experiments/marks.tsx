import { useTranslation } from "react-i18next";
import { reasonBy } from "../../ui/cause";
import { Tag, type Tone } from "../../ui/marks";
import type { Experiment, Interval, Lift } from "./api";

const tones: Record<string, Tone> = { running: "info", ended: "", draft: "warn" };

export function State({ experiment: x }: { experiment: Experiment }) {
  const { t } = useTranslation();
  return (
    <Tag tone={tones[x.state]} title={reasonBy(x.ended_by ?? "", x.ending)}>
      {t(`experiments.states.${x.state}`)}
    </Tag>
  );
}

/** "+1.24 %": the sign is always there, a lift is nothing without it. */
export const signed = (v: number, digits = 2) =>
  `${v > 0 ? "+" : v < 0 ? "−" : "±"}${Math.abs(v * 100).toFixed(digits)} %`;

export const span = (i: Interval) => `${signed(i.low).replace(" %", "")} … ${signed(i.high)}`;

/** Milliseconds and per cent without the unit, which stands in the column's head. */
export const inMS = (v: number) => v.toFixed(v >= 100 ? 0 : v >= 10 ? 1 : 2);
export const inPercent = (v: number) => (v * 100).toFixed(2);

/** The interval that counts now: of one look after the planned end, the always-valid one before. */
export const counts = (l: Lift, final: boolean) => (final ? l.lift : l.anytime);

const words: Record<string, Tone> = { better: "good", worse: "bad", unclear: "" };

export function LiftCell({ lift, final }: { lift?: Lift; final: boolean }) {
  const { t } = useTranslation();
  if (!lift) return <span className="soft">{t("experiments.tooLittle")}</span>;
  const interval = counts(lift, final);
  return (
    <div className="lift-cell">
      {interval ? (
        <b>{signed(interval.estimate)}</b>
      ) : (
        <span className="soft">{t("experiments.noRatio")}</span>
      )}{" "}
      {lift.verdict !== "unclear" && (
        <Tag tone={words[lift.verdict]}>{t(`experiments.verdicts.${lift.verdict}`)}</Tag>
      )}
      {interval && <div className="soft">{span(interval)}</div>}
    </div>
  );
}
