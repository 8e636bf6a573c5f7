import { expect, test } from "vitest";
import { blank, faults, inputOf, patterns, type Draft } from "./draft";

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
