import type { PlanStep } from "./types";

const endOf = (s: PlanStep) =>
  Math.max(
    Date.parse(s.start),
    Date.parse(s.run?.end ?? s.end ?? s.start),
    Date.parse(s.run?.start ?? s.start),
  );

/** The occurrence that is under way, else the next one, else the last. */
export function nearest(steps: PlanStep[], now: number): string {
  const ends = new Map<string, number>();
  for (const s of steps) ends.set(s.occurrence, Math.max(ends.get(s.occurrence) ?? -Infinity, endOf(s)));
  const names = [...ends.keys()].sort((a, b) => ends.get(a)! - ends.get(b)!);
  return names.find((n) => ends.get(n)! > now) ?? names[names.length - 1] ?? "";
}
