import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { instantOf, instantsOf, lengthOf, offsetName, parseWall, scheduleOf, span, wallOf } from "./calendar";
import { blank, clean, differences, docOf, doubleEleven, fromYAML, toYAML, type PlanDoc } from "./document";
import { holds, inForce, layout, ticks } from "./gantt";
import { nearest } from "./occurrence";
import type { PlanEntry, PlanStep } from "./types";

const utc = (s: string) => Date.parse(s);

describe("local time", () => {
  test("is an instant of its zone, and back", () => {
    const t = instantOf("2026-11-10 23:56:00", "Asia/Shanghai")!;
    expect(new Date(t).toISOString()).toBe("2026-11-10T15:56:00.000Z");
    expect(wallOf(t, "Asia/Shanghai")).toBe("2026-11-10 23:56:00");
    expect(offsetName(t, "Asia/Shanghai")).toBe("+08:00");
    expect(offsetName(utc("2026-07-01T00:00:00Z"), "America/St_Johns")).toBe("-02:30");
  });

  test("in a gap is no instant, and two may have been meant", () => {
    const { exact, near } = instantsOf(parseWall("2026-03-08 02:30:00")!, "America/New_York");
    expect(exact).toEqual([]);
    expect(near.map((t) => `${wallOf(t, "America/New_York")} ${offsetName(t, "America/New_York")}`)).toEqual([
      "2026-03-08 01:30:00 -05:00",
      "2026-03-08 03:30:00 -04:00",
    ]);
    expect(instantOf("2026-03-08 02:30:00", "America/New_York")).toBeUndefined();
  });

  test("in an overlap is two, and one must say which", () => {
    const zone = "America/New_York";
    expect(instantsOf(parseWall("2026-11-01 01:30:00")!, zone).exact).toHaveLength(2);
    expect(instantOf("2026-11-01 01:30:00", zone)).toBeUndefined();
    const a = instantOf("2026-11-01 01:30:00", zone, "earlier")!;
    const b = instantOf("2026-11-01 01:30:00", zone, "later")!;
    expect(b - a).toBe(3_600_000);
  });

  test.each(["2026-02-30 00:00:00", "2026-11-10T23:56", "2026-11-10 24:00:00", "2026-11-10 23:56:60", ""])(
    "does not read %j",
    (text) => expect(parseWall(text)).toBeUndefined(),
  );
});

test("lengths are read as the server writes them", () => {
  expect(lengthOf("2h")).toBe(7_200_000);
  expect(lengthOf("1m30s")).toBe(90_000);
  expect(lengthOf("soon")).toBeUndefined();
  expect(span(1_000 * (3 * 86_400 + 4 * 3_600 + 12 * 60 + 33))).toBe("3 d 04:12:33");
  expect(span(59_600)).toBe("00:01:00");
});

describe("the document", () => {
  test("the example is the server's, in the year that lies ahead", () => {
    const raw = readFileSync("../server/plan/examples/double-11.yaml", "utf8").replaceAll(
      "2026-11",
      "2027-11",
    );
    expect(docOf(clean(doubleEleven(utc("2026-11-30T00:00:00Z"))))).toEqual(docOf(clean(fromYAML(raw).doc!)));
    expect(doubleEleven(utc("2026-11-10T15:55:59Z")).steps[0]!.at).toBe("2026-11-10 23:56:00");
    expect(doubleEleven(utc("2026-11-10T15:56:00Z")).steps[0]!.at).toBe("2027-11-10 23:56:00");
  });

  test("is the same after a way through the text", () => {
    const doc = doubleEleven(0);
    expect(clean(fromYAML(toYAML(doc)).doc!)).toEqual(clean(doc));
  });

  test("leaves out what is empty, and keeps what is wrong as it was typed", () => {
    const doc = blank("ann", "UTC", 0);
    doc.steps[0]!.set = [{ app: "", level: "many" }, { level: "3" }];
    const steps = clean(doc).steps;
    expect(steps[0]!.set).toEqual([{ level: "many" }, { level: 3 }]);
    expect(clean(doc)).not.toHaveProperty("purpose");
  });

  test("says where a text cannot be read", () => {
    expect(fromYAML("name: a\nsteps: [").line).toBeGreaterThan(1);
    expect(fromYAML("- a").doc).toBeUndefined();
  });

  test("differences name every place two people changed", () => {
    const base = doubleEleven(0);
    const mine: PlanDoc = { ...base, purpose: "mine" };
    const theirs: PlanDoc = { ...base, owner: "bob" };
    expect(differences(base, mine, theirs)).toEqual([
      { path: "owner", base: base.owner, mine: base.owner, theirs: "bob" },
      { path: "purpose", base: base.purpose, mine: "mine", theirs: base.purpose },
    ]);
  });

  test("its schedule follows offsets and ends", () => {
    const [gears, auto, restore] = scheduleOf(doubleEleven(utc("2026-01-01T00:00:00Z")));
    expect(gears!.end! - gears!.start!).toBe(7 * 60_000);
    expect(gears!.end).toBe(auto!.start);
    expect(restore!.start! - auto!.start!).toBe(7_200_000);
    expect(parse(toYAML(doubleEleven(0)))).toHaveProperty("zone", "Asia/Shanghai");
  });
});

const step = (name: string, start: string, end?: string, run?: Partial<PlanStep["run"]>): PlanStep => ({
  occurrence: "o",
  name,
  do: end ? "set" : "auto",
  sets: [],
  start,
  end,
  run: run as PlanStep["run"],
});
const entry = (s: PlanStep, state: PlanEntry["state"] = "approved"): PlanEntry => ({
  plan: "p",
  state,
  step: s,
  conflicts: [],
});

describe("the chart", () => {
  const from = utc("2026-01-01T00:00:00Z");
  const to = utc("2026-01-01T10:00:00Z");

  test("places bars, and gives lanes to what overlaps", () => {
    const rows = layout(
      [
        entry(step("a", "2025-12-31T23:00:00Z", "2026-01-01T05:00:00Z")),
        entry(step("b", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z")),
        entry(step("c", "2026-01-01T06:00:00Z")),
        entry(step("d", "2026-01-02T06:00:00Z")),
      ],
      ["p", "q"],
      from,
      to,
    );
    expect(rows.map((r) => [r.plan, r.lanes, r.bars.length])).toEqual([
      ["p", 2, 3],
      ["q", 1, 0],
    ]);
    const [a, b, c] = rows[0]!.bars;
    expect([a!.left, a!.width, a!.outside]).toEqual([0, 0.5, true]);
    expect([b!.lane, b!.left]).toEqual([1, 0.2]);
    expect([c!.lane, c!.width]).toEqual([0, 0]);
  });

  test("marks round local times, also over a change of clocks", () => {
    const labels = (zone: string, a: string, b: string) => ticks(utc(a), utc(b), zone, 6).map((x) => x.label);
    expect(labels("Asia/Shanghai", "2026-01-01T12:00:00Z", "2026-01-02T12:00:00Z")).toEqual(
      ["00:00", "06:00", "12:00", "18:00"].map((x) => (x === "00:00" ? "01-02" : x)),
    );
    expect(labels("America/New_York", "2026-03-08T04:00:00Z", "2026-03-09T04:00:00Z")).toContain("06:00");
  });

  test("what is in force is what fired, and ahead what is approved", () => {
    const now = utc("2026-01-01T01:00:00Z");
    const at = utc("2026-01-01T02:30:00Z");
    const ahead = step("a", "2026-01-01T02:00:00Z", "2026-01-01T03:00:00Z");
    expect(inForce([entry(ahead)], at, now)).toHaveLength(1);
    expect(inForce([entry(ahead, "draft")], at, now)).toHaveLength(0);
    expect(inForce([entry(ahead)], at, at)).toHaveLength(0);
    const early = {
      ...ahead,
      run: { state: "fired", start: "2026-01-01T00:30:00Z", end: ahead.end } as PlanStep["run"],
    };
    expect(inForce([entry(early)], now, now)).toHaveLength(1);
    expect(holds(entry(early)).start).toBe(utc("2026-01-01T00:30:00Z"));
  });
});

test("the occurrence shown is the one under way, else the next, else the last", () => {
  const steps = ["01", "02", "03"].map((d) => ({
    ...step("s", `2026-01-${d}T00:00:00Z`, `2026-01-${d}T01:00:00Z`),
    occurrence: d,
  }));
  expect(nearest(steps, utc("2026-01-02T00:30:00Z"))).toBe("02");
  expect(nearest(steps, utc("2026-01-02T02:00:00Z"))).toBe("03");
  expect(nearest(steps, utc("2026-01-09T00:00:00Z"))).toBe("03");
});
