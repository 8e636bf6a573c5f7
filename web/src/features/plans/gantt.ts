import { offsetAt, wallOf } from "./calendar";
import type { PlanEntry } from "./types";

// The chart's arithmetic: pure, in shares of the window.

export interface Bar {
  key: string;
  entry: PlanEntry;
  left: number; // 0..1
  width: number; // 0 for an instant
  lane: number;
  start: number;
  end: number | undefined;
  outside: boolean; // begins before the window
}

export interface Row {
  plan: string;
  bars: Bar[];
  lanes: number;
}

/** When the entry's step holds, by what became of it, else by the calendar. */
export function holds(e: PlanEntry): { start: number; end: number | undefined } {
  const { step } = e;
  const run =
    step.run && step.run.state !== "skipped" && step.run.state !== "cancelled" ? step.run : undefined;
  const end = run?.end ?? step.end;
  return { start: Date.parse(run?.start ?? step.start), end: end ? Date.parse(end) : undefined };
}

/** A bar needs some room for its name before another may begin in its lane. */
const room = 0.085;

/** One row a plan in the order of the names; steps that overlap take lanes of their own. */
export function layout(entries: PlanEntry[], names: string[], from: number, to: number): Row[] {
  const length = to - from;
  return names.map((plan) => {
    const ends: number[] = [];
    const bars: Bar[] = [];
    for (const entry of entries) {
      if (entry.plan !== plan) continue;
      const { start, end } = holds(entry);
      if (start > to || (end ?? start) < from) continue;
      const left = (Math.max(start, from) - from) / length;
      const right = end === undefined ? left : (Math.min(end, to) - from) / length;
      let lane = ends.findIndex((e) => e <= left + 1e-9);
      if (lane < 0) lane = ends.length;
      ends[lane] = Math.max(right, left + room);
      bars.push({
        key: `${entry.step.occurrence} ${entry.step.name}`,
        entry,
        left,
        width: right - left,
        lane,
        start,
        end,
        outside: start < from,
      });
    }
    return { plan, bars, lanes: Math.max(1, ends.length) };
  });
}

const minute = 60_000;
const steps = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440, 2 * 1440, 7 * 1440].map((m) => m * minute);

export interface Tick {
  at: number;
  share: number;
  label: string;
  day: boolean;
}

/** At most `most` marks at round local times of the zone. */
export function ticks(from: number, to: number, zone: string, most = 10): Tick[] {
  const step = steps.find((s) => (to - from) / s <= most) ?? steps[steps.length - 1]!;
  const out: Tick[] = [];
  const shift = offsetAt(from, zone);
  for (let local = Math.ceil((from + shift) / step) * step; ; local += step) {
    // The offset may change within the window; look it up at the mark itself.
    const at = local - offsetAt(local - shift, zone);
    if (at > to) return out;
    if (at < from) continue;
    const wall = wallOf(at, zone);
    const day = wall.endsWith("00:00:00");
    out.push({
      at,
      share: (at - from) / (to - from),
      label: day || step >= 1440 * minute ? wall.slice(5, 10) : wall.slice(11, 16),
      day,
    });
  }
}

/** The steps in force at an instant: what fired, and ahead of now what an approved plan says. */
export function inForce(entries: PlanEntry[], at: number, now: number): PlanEntry[] {
  return entries.filter((e) => {
    const { start, end } = holds(e);
    const state = e.step.run?.state;
    if (
      state
        ? state !== "fired" && state !== "armed" && state !== "ended"
        : e.state !== "approved" || at <= now
    )
      return false;
    return start <= at && end !== undefined && at < end;
  });
}
