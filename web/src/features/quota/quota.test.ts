import { expect, test } from "vitest";
import { curvesText, readCurves } from "./curves";
import { applyGroup, showGroup } from "./commands";
import { changesOf, edited, faultsOf, inputOf, isDirty, none, placesOf, rebased } from "./draft";
import { alertsOf, arrivalsOf, finalQuota, fitOf, integral, summary, theta } from "./rules";
import type { QuotaCalibration, QuotaGroup, QuotaSimulated, QuotaState } from "./types";
import { digits, duration, number } from "./units";

const group: QuotaGroup = {
  id: "01a22a9a-a111-7b52-b381-3a7d1f0f958f",
  name: "rank",
  description: "ranking",
  enabled: true,
  members: [{ scene: "*", idc: "*", app: "sn", point: "rank" }],
  settings: {
    total_quota: 40_000,
    window: "1s",
    delay: "300ms",
    q_min: 15,
    q_max: 300,
    default_quota: 150,
    law: "log",
    kp: 0,
    ki: 0,
    kd: 0,
    feed_forward: true,
    weight_min: 0.5,
    weight_max: 1.5,
    normalise: true,
    watermark: 0.7,
    fallback_slew: 0.1,
    return_slew: 0.5,
  },
  version: 3,
  created_by: "ann",
  created_at: "2026-01-01T00:00:00Z",
  updated_by: "ann",
  updated_at: "2026-01-01T00:00:00Z",
};

test("reads Go durations and numbers, and nothing else", () => {
  expect(duration("300ms")).toBe(300);
  expect(duration("1m30.5s")).toBe(90_500);
  for (const bad of ["", "300", "1 s", "-1s", "s", "1sx"]) expect(duration(bad)).toBeUndefined();
  expect(number("1e6")).toBe(1e6);
  expect(number(" .5 ")).toBe(0.5);
  for (const bad of ["", "1,000", "0x10", "NaN", "Infinity", "1e999", "5ms"])
    expect(number(bad)).toBeUndefined();
});

test("shows three digits that matter", () => {
  expect([0, 0.012345, 1.256, 181.4, 40_000, 2_500_000, undefined].map(digits)).toEqual([
    "0",
    "0.0123",
    "1.26",
    "181",
    "40\u202f000",
    "2.5 M",
    "–",
  ]);
});

test("curves go to text and back; a bad line is named", () => {
  const curves = [
    {
      from: 0.5,
      value: 1,
      points: [
        { quota: 20, gain: 0.2 },
        { quota: 60, gain: 0.31 },
      ],
    },
    { from: 1.2, value: 2, points: [{ quota: 20, gain: 0.1 }] },
  ];
  expect(curvesText(curves)).toBe("0.5 1: 20=0.2 60=0.31\n1.2 2: 20=0.1");
  expect(readCurves(curvesText(curves))).toEqual({ curves });
  expect(readCurves("\n0.5 1: 20=0.2\n\n0.4 1: 20=0.2")).toEqual({ line: 4 }); // buckets fall
  for (const bad of ["0.5: 20=1", "0.5 0: 20=1", "0.5 1: 60=1 20=2", "0.5 1: 20", "0.5 1:", "0.5 1: 0=1"])
    expect(readCurves(bad)).toEqual({ line: 1 });
});

test("an edit back to what is stored is none", () => {
  const e = edited(group, none, "ki", "2");
  expect(isDirty(e)).toBe(true);
  expect(changesOf(group, e)).toEqual([{ op: "change", path: "ki", from: "0", to: "2" }]);
  expect(isDirty(edited(group, e, "ki", "0"))).toBe(false);
});

test("the unchanged draft is the stored group, field by field", () => {
  const { name, description, enabled, members, settings } = group;
  expect(inputOf(group, none)).toEqual({ name, description, enabled, members, settings });
});

test("changes survive another's write, and vanish where it says the same", () => {
  let e = edited(group, none, "ki", "2");
  e = edited(group, e, "q_max", "500");
  const theirs = { ...group, version: 4, settings: { ...group.settings, q_max: 500, q_min: 20 } };
  const next = rebased(theirs, e);
  expect(next.values).toEqual({ ki: "2" });
  expect(inputOf(theirs, next).settings).toEqual({ ...theirs.settings, ki: 2 });
});

test("fields are checked as the server checks them", () => {
  const fault = (key: Parameters<typeof edited>[2], text: string) =>
    faultsOf(group, edited(group, none, key, text)).get(key);
  expect(faultsOf(group, none).size).toBe(0);
  expect(fault("ki", "fast")?.key).toBe("number");
  expect(fault("ki", "101")).toEqual({ key: "range", lo: "0", hi: "100" });
  expect(fault("window", "1050ms")?.key).toBe("multiple");
  expect(fault("window", "1")?.key).toBe("duration");
  expect(fault("window", "1m")).toEqual({ key: "span", lo: "500ms", hi: "30s" });
  expect(fault("q_min", "400")).toEqual({ key: "range", lo: "1", hi: "300" }); // above q_max
  expect(fault("default_quota", "10")).toEqual({ key: "range", lo: "15", hi: "300" });
  expect(fault("weight_max", "0.2")).toEqual({ key: "range", lo: "0.5", hi: "100" });
  const dcaf = edited(group, none, "law", "dcaf");
  expect(faultsOf(group, dcaf).get("curves")?.key).toBe("noCurves");
  expect(faultsOf(group, edited(group, dcaf, "curves", "0.5 1: 20=0.2")).size).toBe(0);
});

test("refusals find their fields, wherever the path begins", () => {
  const place = (path: string) => ({ path, code: "range", message: path });
  const found = placesOf([
    place("settings.ki"),
    place("q_min"),
    place("members[1].app"),
    place("body.settings.window"),
  ]);
  expect([...found.keys()]).toEqual(["ki", "q_min", "members", "window"]);
});

test("theta, the default gain and what a user may rank", () => {
  expect(theta(group.settings)).toBeCloseTo(0.8);
  expect(integral(group.settings)).toBeCloseTo(1 / 2.4);
  expect(integral({ ...group.settings, ki: 2 })).toBe(2);
  expect(finalQuota(group.settings, 100, 1, 1.5)).toBe(150);
  expect(finalQuota(group.settings, 100, 0.8, 9)).toBeCloseTo(120); // clamped, then scaled
  expect(finalQuota(group.settings, 20, 1, 0.5)).toBe(15); // q_min
});

const at = "2026-01-01T00:00:10Z";
const status: QuotaState["status"] = {
  state: "live",
  decides: true,
  at,
  epoch: 1,
  tick: 9,
  base: 100,
  scale: 1,
  sum: 40_000,
  total_quota: 40_000,
  error: 0,
  terms: { p: 0, i: 0, d: 0, feed_forward: 0, frozen: false, bound: 0 },
  arrivals: 200,
  consumed: 40_000,
  crew: { agents: 9, live: 9, returning: 0, fallback: 0, capped: 0 },
  machines: 9,
};

test("alerts say what an operator should look at, and nothing in health", () => {
  const now = Date.parse(at) + 900;
  const keys = (s: Partial<QuotaState["status"]>, t = now) =>
    alertsOf({ ...group, status: { ...status, ...s } }, t).map((a) => a.key);
  expect(keys({})).toEqual([]);
  expect(keys({}, now + 10_000)).toEqual(["old"]);
  expect(keys({ state: "lost", crew: { ...status.crew, live: 0, fallback: 9 } })).toEqual([
    "lost",
    "fallback",
  ]);
  expect(keys({ sum: 50_000 })).toEqual([]);
  expect(keys({ sum: 60_000 })).toEqual(["over"]);
  expect(keys({ sum: 50_000, terms: { ...status.terms, bound: -1 } })).toEqual(["floor"]);
  expect(keys({ state: "off", sum: 90_000 }, now + 10_000)).toEqual([]);
});

test("standard traffic starts from the present rate", () => {
  expect(arrivalsOf("recent", 200)).toBeUndefined();
  expect(arrivalsOf("step", 200)!.slice(14, 16)).toEqual([200, 600]);
  const surge = arrivalsOf("surge", 200)!;
  expect(surge[74]).toBeCloseTo(2_000);
  expect(Math.max(...surge)).toBeCloseTo(2_000);
  expect(arrivalsOf("burst", 0)!.every((v) => v > 0)).toBe(true);
});

test("a summary counts real turns of the base, not its noise", () => {
  const points = (base: (i: number) => number): QuotaSimulated[] =>
    Array.from({ length: 200 }, (_, i) => ({
      at_ms: i * 100,
      arrivals: 1,
      base: base(i),
      sum: i < 10 ? 1.3 : 1,
    }));
  expect(summary([])).toBeUndefined();
  const calm = summary(points((i) => 100 * (1 + 0.01 * (i % 2))))!;
  expect([calm.swings, calm.peak]).toEqual([0, 1.3]);
  expect(calm.over).toBeCloseTo(1);
  expect(summary(points((i) => 100 * Math.exp(0.2 * Math.sin((i * Math.PI) / 25))))!.swings).toBe(8);
});

test("the calibrator's plot is in candidates a second and keeps readings in sight", () => {
  const c: QuotaCalibration = {
    ok: true,
    stale: false,
    total_quota: 60_000,
    margin: 2_000,
    watermark: 0.7,
    idle: 0.1,
    slope: 1e-5,
    r2: 0.9,
    sigma: 0.02,
    used: 30,
    readings: [{ at, consumed: 30_000, cpu: 0.4 }],
  };
  const f = fitOf({ ...group, settings: { ...group.settings, window: "2s" } }, c);
  expect([f.budget, f.suggested, f.margin]).toEqual([20_000, 30_000, 1_000]);
  expect(f.line[0]).toEqual([0, 0.1]);
  expect(f.upper[0]![1] - f.line[0]![1]).toBeCloseTo(0.04);
  expect(fitOf(group, { ...c, total_quota: 1e9 }).end).toBeLessThan(50_000);
  expect(fitOf(group, { ...c, slope: 0 }).line).toEqual([]);
});

test("commands are quoted for a shell", () => {
  expect(showGroup("rank")).toBe("allspark quota show rank");
  expect(applyGroup("rank")).toBe("allspark quota apply -f rank.yaml");
});
