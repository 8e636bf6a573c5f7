import { expect, test } from "vitest";
import type { Experiment } from "./api";
import { blank, draftOf, faults, inputOf, linesOf, patterns, type Draft } from "./draft";

const sound = (): Draft => ({
  ...blank(),
  name: "dynamic",
  scope: { scene: "k2", idc: "*", app: "sn", point: "recall" },
  measure: { app: "merger", point: "merge" },
});

test("a sound draft has no fault, and becomes what the server reads", () => {
  const d = sound();
  expect(faults(d)).toEqual({});
  expect(inputOf(d, "worth it?").arms).toEqual([
    { name: "dynamic", share: 50 },
    { name: "off", share: 50, strategy: "fixed", level: 80 },
  ]);
});

test.each<[string, (d: Draft) => void]>([
  ["name", (d) => (d.name = "two words")],
  ["scope.app", (d) => (d.scope.app = "")],
  ["measure.point", (d) => (d.measure.point = "*")],
  ["duration", (d) => (d.duration = "tomorrow")],
  ["arms.1.name", (d) => (d.arms[1]!.name = "dynamic")],
  ["arms.0.share", (d) => (d.arms[0]!.share = "0.5")],
  ["arms.1.level", (d) => (d.arms[1]!.level = "")],
  ["arms.0.rt", (d) => (d.arms[0]!.rt = "fast")],
  ["arms", (d) => (d.arms[0]!.share = "50.01")],
  ["arms", (d) => (d.arms = d.arms.slice(0, 1))],
])("%s is named when it is wrong", (path, spoil) => {
  const d = sound();
  d.arms = d.arms.map((a) => ({ ...a }));
  spoil(d);
  expect(Object.keys(faults(d))).toEqual([path]);
});

test("each pattern divides no more than all traffic", () => {
  for (const arms of Object.values(patterns)) expect(faults({ ...sound(), arms })).toEqual({});
});

test("what was stored is typed as it was written, and goes back unchanged", () => {
  const d: Draft = {
    ...sound(),
    duration: "1h30m",
    arms: [
      ...patterns.crowd!.slice(0, 2),
      { name: "off", share: "20.5", strategy: "fixed", level: "80", rt: "" },
    ],
  };
  const stored = { ...inputOf(d, "why"), duration: "1h30m0s", version: 3 } as unknown as Experiment;
  expect(draftOf(stored)).toEqual(d);
  expect(inputOf(draftOf(stored), "why")).toEqual(inputOf(d, "why"));
  expect(draftOf({ ...stored, duration: "24h0m0s" }).duration).toBe("24h");
  expect(draftOf({ ...stored, duration: "10s" }).duration).toBe("10s");
});

test("a draft is laid beside another line by line", () => {
  expect(linesOf(inputOf(sound(), "worth it?"))).toBe(
    "dynamic\nworth it?\nk2/*/sn/recall\nmerger/merge\n1h\ndynamic · 50 %\noff · 50 % · fixed, level 80",
  );
});
