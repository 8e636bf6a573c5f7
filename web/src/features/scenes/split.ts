import { figure, late } from "./format";
import type { SceneGraph, SceneHistory, SceneLink } from "./types";

/** How a scene stood at an instant: a minute of history, or a second seen live. */
export interface Moment {
  at: number; // ms
  target?: number; // of the RT gear's step
  actual?: number;
  late?: number; // share of the front end's requests that timed out
  step?: number; // of the RT gear
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

/** The minutes of a scene in an IDC. What was aimed at is known of each; in some nobody asked for anything. */
export const minutesOf = (graph: SceneGraph, h: SceneHistory, statistic: string | undefined): Moment[] => {
  const own = new Set(graph.nodes.filter((n) => !n.external).map((n) => n.id));
  return h.at.map((at, i) => {
    const n = h.front?.count[i] ?? 0;
    const one = {
      count: n,
      timeouts: h.front?.timeouts[i] ?? 0,
      rt_mean_ms: h.front?.rt_mean_ms[i] ?? 0,
      rt_p50_ms: h.front?.rt_p50_ms[i] ?? 0,
      rt_p95_ms: h.front?.rt_p95_ms[i] ?? 0,
      rt_p99_ms: h.front?.rt_p99_ms[i] ?? 0,
    };
    return {
      at: Date.parse(at),
      target: h.effective_ms[i],
      actual: figure(one, statistic),
      late: n > 0 ? one.timeouts / n : undefined,
      step: h.step[i],
      nodes: Object.fromEntries(
        h.nodes.filter((x) => own.has(x.id) && x.count[i]! > 0).map((x) => [x.id, x.rt_mean_ms[i]!]),
      ),
    };
  });
};

/** Minutes up to where the seconds begin, then the seconds. */
export function joined(minutes: Moment[], seconds: Moment[]): Moment[] {
  const from = seconds[0]?.at ?? Infinity;
  return [...minutes.filter((m) => m.at + 60_000 <= from), ...seconds];
}
