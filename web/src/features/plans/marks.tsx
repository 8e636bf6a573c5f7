import { useTranslation } from "react-i18next";
import { Tag, type Tone } from "../../ui/marks";
import { offsetName, span, wallOf } from "./calendar";
import type { PlanState, PlanStep } from "./types";

const tones: Record<PlanState, Tone> = {
  draft: "",
  approved: "good",
  held: "warn",
  stopped: "bad",
  done: "info",
};

export function StateTag({ state }: { state: PlanState }) {
  const { t } = useTranslation();
  return <Tag tone={tones[state]}>{t(`plans.state.${state}`)}</Tag>;
}

export type Standing =
  | "planned"
  | "armed"
  | "inForce"
  | "fired"
  | "over"
  | "skipped"
  | "cancelled"
  | "missed"
  | "ended"
  | "passed";

/** How a step stands at a moment, in the reader's terms. */
export function standing(step: PlanStep, now: number): Standing {
  const run = step.run;
  if (!run) return Date.parse(step.start) > now ? "planned" : "passed";
  if (run.state !== "fired") return run.state;
  const end = run.end ?? step.end;
  if (!end) return "fired";
  return now < Date.parse(end) ? "inForce" : "over";
}

const stepTones: Record<Standing, Tone> = {
  planned: "",
  armed: "info",
  inForce: "good",
  fired: "info",
  over: "",
  skipped: "warn",
  cancelled: "warn",
  missed: "bad",
  ended: "",
  passed: "warn",
};

export function StandingTag({ of }: { of: Standing }) {
  const { t } = useTranslation();
  return <Tag tone={stepTones[of]}>{t(`plans.standing.${of}`)}</Tag>;
}

/** An instant as the zone's clocks show it; the offset is in the title, and the date where asked for. */
export function Wall({ at, zone, date = true }: { at: string | number; zone: string; date?: boolean }) {
  const ms = typeof at === "string" ? Date.parse(at) : at;
  const wall = wallOf(ms, zone);
  return (
    <time
      className="mono nowrap"
      dateTime={new Date(ms).toISOString()}
      title={`${wall} ${offsetName(ms, zone)} (${zone})`}
    >
      {date ? wall : wall.slice(11)}
    </time>
  );
}

export function Countdown({ to, now }: { to: string | number; now: number }) {
  const ms = (typeof to === "string" ? Date.parse(to) : to) - now;
  return <span className="plan-countdown">{ms >= 0 ? `T−${span(ms)}` : `T+${span(-ms)}`}</span>;
}
