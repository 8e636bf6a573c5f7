import { figure, late } from "./format";
import type { SceneGraph, SceneLink, ScenePlace, Series } from "./types";

/** How a scene stood at an instant: a minute of history, or a second seen live. */
export interface Moment {
  at: number; // ms
  target?: number; // told live only
  actual?: number;
  late?: number; // share of the front end's requests that timed out
  step?: number; // of the RT gear; told live only
  nodes: Record<string, number>; // mean RT, ms
}

export const keptSeconds = 600;

/** The last complete second of a link; nothing where none was measured. */
export function secondOf(link: SceneLink, statistic: string | undefined): Moment | undefined {
  const at = link.live ? Date.parse(link.live.at) : NaN;
  if (Number.isNaN(at)) return undefined;
  const nodes: Record<string, number> = {};
  for (const n of link.nodes) if (!n.external && n.live?.count) nodes[n.id] = n.live.rt_mean_ms;
  return {
    at,
    target: link.effective_ms,
    actual: figure(link.live, statistic),
    late: late(link.live),
    step: link.step,
    nodes,
  };
}

/** Adds a second once; what is older than the newest kept falls out. */
export const withSecond = (old: Moment[], one: Moment | undefined): Moment[] =>
  !one || (old.at(-1)?.at ?? 0) >= one.at ? old : [...old.slice(1 - keptSeconds), one];

/** The minutes of a scene in an IDC out of its points' series. */
export function minutesOf(
  graph: SceneGraph,
  front: ScenePlace,
  series: Series[],
  statistic: string | undefined,
): Moment[] {
  const all = new Map<number, Moment>();
  const moment = (at: string) => {
    const ms = Date.parse(at);
    let m = all.get(ms);
    if (!m) all.set(ms, (m = { at: ms, nodes: {} }));
    return m;
  };
  for (const s of series) {
    const node = graph.nodes.find((n) => !n.external && n.place.app === s.app && n.place.point === s.point);
    const whole = s.app === front.app && s.point === front.point;
    if (!node && !whole) continue;
    s.at.forEach((at, i) => {
      const n = s.count[i] ?? 0;
      if (n <= 0) return;
      const m = moment(at);
      if (node) m.nodes[node.id] = s.rt_mean_ms[i]!;
      if (!whole) return;
      const q = Number((statistic ?? "mean").slice(1));
      m.actual = (
        !statistic || statistic === "mean"
          ? s.rt_mean_ms
          : q <= 50
            ? s.rt_p50_ms
            : q <= 95
              ? s.rt_p95_ms
              : s.rt_p99_ms
      )[i];
      m.late = (s.timeouts[i] ?? 0) / n;
    });
  }
  return [...all.values()].sort((a, b) => a.at - b.at);
}

/** Minutes up to where the seconds begin, then the seconds. */
export function joined(minutes: Moment[], seconds: Moment[]): Moment[] {
  const from = seconds[0]?.at ?? Infinity;
  return [...minutes.filter((m) => m.at + 60_000 <= from), ...seconds];
}
