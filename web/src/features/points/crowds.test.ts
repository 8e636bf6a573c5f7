import { describe, expect, it } from "vitest";
import type { Crowd, RTBin } from "../../api/types";
import { axisEnd, barsOf, marksOf, sharesOf } from "./crowds";

const bin = (low_ms: number, high_ms: number, count: number): RTBin => ({ low_ms, high_ms, count });

describe("the distribution's axis", () => {
  it("ends behind all but the slowest requests", () => {
    expect(axisEnd([bin(1, 2, 990), bin(2, 20, 6), bin(900, 1000, 4)], 0)).toBe(20);
  });
  it("always shows the available RT", () => {
    expect(axisEnd([bin(1, 2, 100)], 8)).toBe(10);
    expect(axisEnd([], 8)).toBe(10);
  });
});

describe("bars", () => {
  const bars = barsOf([bin(0, 1, 10), bin(1, 3, 10), bin(8, 10, 5), bin(30, 40, 1)], 20, 8);
  it("stand for requests by area", () => {
    expect(bars).toHaveLength(3);
    expect(bars[0]).toEqual({ x: 0, width: 0.05, height: 1, over: false });
    expect(bars[1]!.height).toBe(0.5);
  });
  it("tell which are over the available RT", () => {
    expect(bars.map((b) => b.over)).toEqual([false, false, true]);
    expect(barsOf([bin(8, 9, 1)], 20, 0)[0]!.over).toBe(false);
  });
});

describe("marks", () => {
  it("are round and few", () => {
    expect(marksOf(23)).toEqual([0, 5, 10, 15, 20]);
    for (const end of [0.1, 0.7, 3, 9.99, 80, 1234]) {
      const m = marksOf(end);
      expect(m.length).toBeLessThanOrEqual(7);
      expect(m.length).toBeGreaterThanOrEqual(3);
      expect(m.at(-1)!).toBeLessThanOrEqual(end * 1.001);
    }
  });
});

describe("shares", () => {
  const crowd = (edge_ms: number, count: number) => ({ edge_ms, count }) as Crowd;
  it("add up, and know where a crowd ends", () => {
    const rows = sharesOf([crowd(0, 30), crowd(4, 10)]);
    expect(rows.map((r) => [r.share, r.next])).toEqual([
      [0.75, 4],
      [0.25, undefined],
    ]);
    expect(sharesOf([crowd(0, 0)])[0]!.share).toBe(0);
  });
});
