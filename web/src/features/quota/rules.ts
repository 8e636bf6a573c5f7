import type { QuotaCalibration, QuotaGroup, QuotaSettings, QuotaSimulated, QuotaState } from "./types";
import { duration } from "./units";

export type Tone = "good" | "bad" | "warn" | "";

/** Something an operator should look at: a message key below "quota.alert". */
export interface Alert {
  key: "lost" | "fallback" | "returning" | "floor" | "over" | "old" | "silent";
  tone: "bad" | "warn";
  n?: number;
  of?: number;
  text?: string;
}

/** How old a decision may be, ms: agents fall back after 500 ms, the rest is the page's own delay. */
export const staleAfter = 3_000;

/**
 * One tick proves little: a sum is called over only where noise does not reach.
 * now is the time of the answer, not of the browser: their clocks differ.
 */
export function alertsOf(g: QuotaState, now: number): Alert[] {
  const { status: s } = g;
  if (s.state === "off") return [];
  const out: Alert[] = [];
  if (s.state === "lost") out.push({ key: "lost", tone: "bad", text: s.trouble ?? "" });
  else if (s.at && now - Date.parse(s.at) > staleAfter) out.push({ key: "old", tone: "bad", text: s.at });
  const { agents, fallback, returning } = s.crew;
  if (fallback > 0) out.push({ key: "fallback", tone: "bad", n: fallback, of: agents });
  if (returning > 0) out.push({ key: "returning", tone: "warn", n: returning, of: agents });
  if (s.state === "live" && agents === 0) out.push({ key: "silent", tone: "warn" });
  if (s.terms.bound < 0 && s.total_quota > 0 && s.sum > s.total_quota)
    out.push({ key: "floor", tone: "bad" });
  else if (s.total_quota > 0 && s.sum > 1.3 * s.total_quota) out.push({ key: "over", tone: "warn" });
  return out;
}

/** Half the window and the delay, in seconds. */
export function theta(s: QuotaSettings): number {
  return ((duration(s.window) ?? 0) / 2 + (duration(s.delay) ?? 0)) / 1000;
}

/** The Ki in force, 1/s: 0 means the default. */
export function integral(s: QuotaSettings): number {
  return s.ki > 0 ? s.ki : 1 / (3 * theta(s));
}

export const windowSeconds = (s: QuotaSettings) => (duration(s.window) ?? 1000) / 1000;

/** What a request of a user of this value may rank, before what is available bounds it. */
export function finalQuota(s: QuotaSettings, base: number, scale: number, value: number): number {
  const w = Math.min(Math.max(value, s.weight_min), s.weight_max) * (s.normalise ? scale : 1);
  return Math.min(Math.max(base * w, s.q_min), s.q_max);
}

export type Traffic = "recent" | "step" | "burst" | "surge";

/** Requests for each second: what the group had, or a standard test on top of its present rate. */
export function arrivalsOf(traffic: Traffic, rate: number): number[] | undefined {
  const r = Math.max(rate, 1);
  const hold = (seconds: number, times: number) => Array.from({ length: seconds }, () => r * times);
  switch (traffic) {
    case "recent":
      return undefined;
    case "step":
      return [...hold(15, 1), ...hold(45, 3)];
    case "burst":
      return [...hold(15, 1), ...hold(5, 5), ...hold(40, 1)];
    case "surge":
      return [
        ...hold(15, 1),
        ...Array.from({ length: 60 }, (_, i) => r * (1 + (9 * (i + 1)) / 60)),
        ...hold(45, 10),
      ];
  }
}

export interface Summary {
  peak: number; // of sum/total
  over: number; // seconds above 1.05
  base: number; // mean
  low: number;
  high: number;
  swings: number; // turns of the base larger than 5 %
}

/** What a simulated response comes to. */
export function summary(points: QuotaSimulated[]): Summary | undefined {
  if (!points.length) return undefined;
  let peak = 0;
  let over = 0;
  let sum = 0;
  let low = Infinity;
  let high = 0;
  let swings = 0;
  let turn = Math.log(Math.max(points[0]!.base, 1e-9)); // the last extreme
  let way = 0;
  for (const p of points) {
    peak = Math.max(peak, p.sum);
    if (p.sum > 1.05) over += 0.1;
    sum += p.base;
    low = Math.min(low, p.base);
    high = Math.max(high, p.base);
    const ln = Math.log(Math.max(p.base, 1e-9));
    const by = ln - turn;
    if (way === 0 ? Math.abs(by) > 0.05 : by * way < 0 && Math.abs(by) > 0.05) {
      if (way !== 0) swings++;
      way = Math.sign(by);
      turn = ln;
    } else if (by * way > 0) turn = ln;
  }
  return { peak, over, base: sum / points.length, low, high, swings };
}

export interface Fit {
  line: [number, number][];
  upper: [number, number][];
  lower: [number, number][];
  budget: number; // in force, candidates a second
  suggested?: number;
  margin?: number;
  end: number; // of the axis
}

/** What the calibrator's plot draws, in candidates a second. */
export function fitOf(g: QuotaGroup, c: QuotaCalibration): Fit {
  const w = windowSeconds(g.settings);
  const budget = g.settings.total_quota / w;
  const known = c.slope > 0 && c.used > 2;
  const suggested = known && c.total_quota > 0 ? c.total_quota / w : undefined;
  const most = Math.max(budget, ...(c.readings ?? []).map((r) => r.consumed));
  // A suggestion far beyond anything measured does not squeeze the readings together.
  const end = 1.1 * (suggested !== undefined && suggested < 4 * most ? Math.max(most, suggested) : most);
  const at = (x: number, by: number): [number, number] => [x, c.idle + c.slope * x + by];
  const along = (by: number) => (known ? [at(0, by), at(end, by)] : []);
  return {
    line: along(0),
    upper: along(2 * c.sigma),
    lower: along(-2 * c.sigma),
    budget,
    suggested,
    margin: suggested === undefined ? undefined : c.margin / w,
    end,
  };
}
