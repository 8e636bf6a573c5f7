import { expect, it } from "vitest";
import { layout, nodeHeight, nodeWidth } from "./layout";
import { found, minuteOf, paneOf, queryOf } from "./links";
import type { SceneGraph } from "./types";

const read = (s: string) => queryOf(new URLSearchParams(s));

it("reads the page out of its address, and nothing else", () => {
  expect(read("")).toEqual({ view: "graph", hours: 1 });
  expect(read("view=table&idc=sh&hours=24&at=2026-11-30T04:05:33Z")).toEqual({
    view: "table",
    idc: "sh",
    hours: 24,
    at: "2026-11-30T04:05:00.000Z",
  });
  expect(read("view=x&hours=7&at=yesterday&with=foo")).toEqual({ view: "graph", hours: 1 });
  expect(read("with=idc:").with).toBeUndefined();
  expect(read("with=at:soon").with).toBeUndefined();
});

it("sets beside it another room at the same moment, or another moment", () => {
  expect(paneOf(read(""))).toBeUndefined();
  expect(paneOf(read("with=idc:zjk"))).toEqual({ idc: "zjk", at: undefined });
  expect(paneOf(read("with=idc:zjk&at=2026-11-30T04:05:33Z"))).toEqual({
    idc: "zjk",
    at: "2026-11-30T04:05:00.000Z",
  });
  expect(paneOf(read("with=at:2026-11-30T03:00:59Z"))).toEqual({
    idc: undefined,
    at: "2026-11-30T03:00:00.000Z",
  });
});

it("finds nodes by id, app and point", () => {
  const node = { id: "sn/rank", place: { app: "sn", point: "rank" } };
  expect(found(" ", node)).toBeUndefined();
  expect(found("RANK", node)).toBe(true);
  expect(found("merge", node)).toBe(false);
  expect(minuteOf(59_999)).toBe("1970-01-01T00:00:00.000Z");
});

const graphOf = (edges: [number, number][], n: number): SceneGraph => ({
  nodes: Array.from({ length: n }, (_, i) => ({ id: `n${i}`, place: { app: "sn", point: `p${i}` } })),
  edges: edges.map(([a, b]) => ({ from: `n${a}`, to: `n${b}` })),
});

it("runs a long chain down a narrow picture and a short one across, and lays no node on another", () => {
  const chain = graphOf(
    Array.from({ length: 6 }, (_, i) => [i, i + 1]),
    7,
  );
  const { spots, down } = layout(chain, 0.9);
  expect(down).toBe(true);
  for (let i = 1; i < 7; i++)
    expect(spots.get(`n${i}`)!.y - spots.get(`n${i - 1}`)!.y).toBeGreaterThan(nodeHeight);
  const fan = layout(
    graphOf(
      Array.from({ length: 6 }, (_, i) => [0, i + 1]),
      7,
    ),
    1.9,
  );
  expect(fan.down).toBe(false);
  for (let i = 1; i < 7; i++)
    expect(fan.spots.get(`n${i}`)!.x - fan.spots.get("n0")!.x).toBeGreaterThan(nodeWidth);
});
