import { expect, it } from "vitest";
import { joined, keptSeconds, minutesOf, secondOf, withSecond, type Moment } from "./split";
import type { SceneGraph, SceneHistory, SceneLink } from "./types";

const graph: SceneGraph = {
  nodes: [
    { id: "recall", place: { app: "sn", point: "recall" } },
    { id: "edge", place: { app: "sn", point: "edge" }, external: true },
  ],
  edges: [],
};
const column = (count: number[], rt: number[], timeouts = count.map(() => 0)) => ({
  count,
  timeouts,
  rt_mean_ms: rt,
  rt_p50_ms: rt,
  rt_p95_ms: rt.map((v) => v * 2),
  rt_p99_ms: rt.map((v) => v * 3),
});

const t0 = "2026-11-30T10:00:00Z";
const t1 = "2026-11-30T10:01:00Z";

it("puts the minutes of the points beside what was aimed at and the front", () => {
  const history = {
    at: [t0, t1],
    target_ms: [200, 200],
    effective_ms: [200, 160],
    step: [1, 2],
    steps: [3, 3],
    front: column([100, 0], [50, 0], [4, 0]),
    nodes: [
      { id: "recall", ...column([10, 10], [5, 7]) },
      { id: "edge", ...column([10, 0], [9, 0]) }, // a call is no part of the split
    ],
  } as unknown as SceneHistory;
  expect(minutesOf(graph, history, "p99")).toEqual([
    { at: Date.parse(t0), target: 200, step: 1, nodes: { recall: 5 }, actual: 150, late: 0.04 },
    { at: Date.parse(t1), target: 160, step: 2, nodes: { recall: 7 } }, // no request came to the front in it
  ]);
  expect(minutesOf(graph, { ...history, front: undefined }, "mean")[0]).toEqual({
    at: Date.parse(t0),
    target: 200,
    step: 1,
    nodes: { recall: 5 }, // the front is another's app
  });
});

const link = (at: string, count = 10) =>
  ({
    effective_ms: 160,
    step: 2,
    live: { at, count, rt_mean_ms: 150, timeouts: 1 },
    nodes: [
      { id: "recall", place: graph.nodes[0]!.place, live: { count: 3, rt_mean_ms: 5 } },
      { id: "edge", place: graph.nodes[1]!.place, external: true, live: { count: 3, rt_mean_ms: 5 } },
    ],
  }) as unknown as SceneLink;

it("reads a second of a link, and none where nothing was measured", () => {
  expect(secondOf(link(t0), "mean")).toEqual({
    at: Date.parse(t0),
    target: 160,
    actual: 150,
    late: 0.1,
    step: 2,
    nodes: { recall: 5 },
  });
  expect(secondOf({ ...link(t0), live: undefined }, "mean")).toBeUndefined();
});

it("keeps each second once, and no more than it shows", () => {
  const at = (s: number): Moment => ({ at: s, nodes: {} });
  const one = withSecond([], at(1));
  expect(withSecond(one, at(1))).toBe(one);
  expect(withSecond(one, undefined)).toBe(one);
  let all: Moment[] = [];
  for (let s = 1; s <= keptSeconds + 5; s++) all = withSecond(all, at(s));
  expect(all).toHaveLength(keptSeconds);
  expect(all[0]!.at).toBe(6);
});

it("lets minutes end where seconds begin", () => {
  const at = (ms: number): Moment => ({ at: ms, nodes: {} });
  expect(joined([at(0), at(60_000)], [at(90_000), at(91_000)]).map((m) => m.at)).toEqual([0, 90_000, 91_000]);
  expect(joined([at(0)], []).map((m) => m.at)).toEqual([0]);
});
