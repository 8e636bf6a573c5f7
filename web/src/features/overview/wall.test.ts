import { expect, it } from "vitest";
import { countdown, healthOf, keyOf, off, shiftAt, sizeOf, type WallLink } from "./wallApi";

const link = (x: Partial<WallLink>): WallLink => ({
  idc: "sh",
  target_ms: 200,
  effective_ms: 200,
  actual_ms: 190,
  step: 1,
  steps: 3,
  phase: "feedback",
  timeouts: 0,
  qps: 100,
  cpu: 0.5,
  at_floor: 0,
  points: 6,
  ...x,
});

it("says in one word how a scene stands", () => {
  expect(healthOf(link({}))).toBe("ok");
  expect(healthOf(link({ actual_ms: 215 }))).toBe("warn");
  expect(healthOf(link({ step: 2 }))).toBe("warn");
  expect(healthOf(link({ cpu: 0.9 }))).toBe("warn");
  expect(healthOf(link({ actual_ms: 240 }))).toBe("bad");
  expect(healthOf(link({ timeouts: 0.03 }))).toBe("bad");
  expect(healthOf(link({ actual_ms: -1, timeouts: -1 }))).toBe("silent");
  expect(off(link({ actual_ms: -1 }))).toBeUndefined();
});

it("counts down in the two units that matter", () => {
  expect(countdown(0)).toBe("0 min 00 s");
  expect(countdown(-5)).toBe("0 min 00 s");
  expect(countdown(727_900)).toBe("12 min 08 s");
  expect(countdown(11_220_000)).toBe("3 h 07 min");
  expect(countdown(90_000_000)).toBe("1 d 01 h");
});

it("moves the picture every minute and comes round", () => {
  const seen = new Set(Array.from({ length: 8 }, (_, i) => JSON.stringify(shiftAt(i * 60_000))));
  expect(seen.size).toBe(8);
  expect(shiftAt(8 * 60_000)).toEqual(shiftAt(0));
  expect(shiftAt(59_999)).toEqual(shiftAt(0));
});

it("reads the key behind the #", () => {
  expect(keyOf("#key=abc%2Fd")).toBe("abc/d");
  expect(keyOf("")).toBeUndefined();
  expect(keyOf("#key=")).toBeUndefined();
});

it("shows few figures larger than many", () => {
  expect([1, 4, 8, 9, 200].map(sizeOf)).toEqual([1.6, 1.2, 1.1, 1, 1]);
});
