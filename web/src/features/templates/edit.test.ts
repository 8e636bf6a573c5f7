import { describe, expect, it } from "vitest";
import { blank, fromWire, toJSON, toYAML, type Doc } from "./document";
import {
  copyGear,
  interpolateRange,
  parseLevels,
  rawFromCell,
  setCells,
  setLevelCount,
  setParameter,
} from "./edit";
import { expand } from "./expand";
import { read } from "./read";
import { readText } from "./text";
import { treeOf } from "./tree";
import { scalar } from "./typecheck";
import { step } from "./useEditor";

const texts = (doc: Doc, column = 0) => expand(doc)[column]!.cells.map((c) => c.text);

describe("levels between anchors", () => {
  const doc = (rule: string, low: string, high: string, type = "int", count = 5): Doc => ({
    ...blank("t"),
    levels: { count },
    parameters: [{ name: "p", type, interpolate: rule }],
    gears: [
      { level: 1, set: { p: rawFromCell(type, low)! } },
      { level: count, set: { p: rawFromCell(type, high)! } },
    ],
  });
  it.each([
    [doc("linear", "10", "50"), ["10", "20", "30", "40", "50"]],
    [doc("linear", "50", "10"), ["50", "40", "30", "20", "10"]],
    [doc("geometric", "1", "16"), ["1", "2", "4", "8", "16"]],
    [doc("step", "1", "16"), ["1", "1", "1", "1", "16"]],
    [doc("linear", "1", "4"), ["1", "2", "3", "3", "4"]],
    [doc("linear", "2ms", "10ms", "duration"), ["2ms", "4ms", "6ms", "8ms", "10ms"]],
    [doc("linear", "0", "1", "float"), ["0", "0.25", "0.5", "0.75", "1"]],
    [doc("step", "small", "large", "enum"), ["small", "small", "small", "small", "large"]],
  ])("case %#", (d, want) => expect(texts(d)).toEqual(want));

  it("stays on the parameter's steps", () => {
    const d = doc("linear", "10", "50");
    d.parameters[0]!.step = scalar("20");
    d.parameters[0]!.min = scalar("10");
    expect(texts(d)).toEqual(
      ["10", "10", "30", "30", "50"].map((x, i) => (i === 1 || i === 3 ? (expect.any(String) as string) : x)),
    );
    for (const x of texts(d)) expect((Number(x) - 10) % 20).toBe(0);
  });

  it("marks what moves against its hint", () => {
    const d = setCells(doc("linear", "10", "50"), [{ level: 3, name: "p", raw: scalar("5") }]);
    d.parameters[0]!.monotonic = "up";
    expect(expand(d)[0]!.cells.map((c) => !!c.warning)).toEqual([false, true, true, false, false]);
  });
});

describe("edits", () => {
  it("make a level an anchor and free it again", () => {
    const one = setCells(blank("t"), [{ level: 4, name: "work", raw: scalar("77") }]);
    expect(one.gears.map((g) => g.level)).toEqual([1, 4, 10]);
    const none = setCells(one, [{ level: 4, name: "work", raw: undefined }]);
    expect(none.gears.map((g) => g.level)).toEqual([1, 10]);
    expect(setCells(none, [{ level: 4, name: "work", raw: undefined }])).toBe(none);
    expect(setCells(none, [{ level: 11, name: "work", raw: scalar("1") }])).toBe(none);
  });

  it("copy a gear and leave every other level as it was", () => {
    const before = blank("t");
    const was = texts(before);
    const after = texts(copyGear(before, expand(before), 2, [5, 6]));
    after.forEach((x, i) => expect(x).toBe(i === 4 || i === 5 ? was[1] : was[i]));
  });

  it("interpolate a range between its ends", () => {
    const bumpy = setCells(blank("t"), [
      { level: 3, name: "work", raw: scalar("99") },
      { level: 6, name: "work", raw: scalar("60") },
    ]);
    const columns = expand(bumpy);
    const smooth = interpolateRange(bumpy, 1, 6, ["work"], (l) => columns[0]!.cells[l - 1]!.raw);
    expect(smooth.gears.map((g) => g.level)).toEqual([1, 6, 10]);
    expect(texts(smooth).slice(0, 6)).toEqual(["10", "20", "30", "40", "50", "60"]);
  });

  it("rename a parameter in every gear, and read texts again for another type", () => {
    const named = setParameter(blank("t"), 0, { name: "tags" });
    expect(named.gears.every((g) => g.set.tags && !g.set.work)).toBe(true);
    const typed = setParameter(named, 0, { type: "string" });
    expect(typed.gears[0]!.set.tags).toEqual({ token: "string", text: "10" });
  });

  it("let bounds follow the number of gears", () => {
    expect(setLevelCount(blank("t"), 4)).toMatchObject({
      levels: { count: 4, default: 4, min: 1, max: 4 },
      gears: [{ level: 1 }],
    });
  });

  it.each([
    ["4-6, 9", [4, 5, 6, 9]],
    ["3", [3]],
    ["0", undefined],
    ["6-4", undefined],
    ["11", undefined],
    ["x", undefined],
    ["", undefined],
  ])("levels %j", (text, want) => expect(parseLevels(text, 10)).toEqual(want));

  it("can be undone and redone", () => {
    const a = blank("a");
    let s = step(
      { doc: a, saved: a, past: [], future: [] },
      { kind: "edit", change: (d) => ({ ...d, name: "b" }) },
    );
    s = step(s, { kind: "undo" });
    expect(s.doc).toBe(a);
    expect(step(s, { kind: "redo" }).doc.name).toBe("b");
  });
});

describe("a document", () => {
  it("is the same after YAML and back", () => {
    const doc: Doc = {
      ...blank("t"),
      description: 'says "yes": #1',
      tags: ["a b", "no", "1"],
      strategy: { kind: "crowd_rt", settings: { available_rt: { token: "string", text: "8ms" } } },
      parameters: [
        { name: "work", type: "int", min: scalar("1"), cost: true },
        { name: "model", type: "enum", values: ["small", "true", "3"] },
      ],
      gears: [{ level: 1, set: { work: scalar("10"), model: { token: "string", text: "true" } } }],
    };
    const back = readText(toYAML(doc));
    expect(back.problems).toEqual([]);
    expect(toJSON(back.doc!)).toBe(toJSON(doc));
  });

  it("keeps numbers as they were written", () => {
    const doc = setCells(blank("t"), [
      { level: 2, name: "work", raw: scalar("9007199254740993") },
      { level: 3, name: "work", raw: scalar("3.0") },
    ]);
    expect(toJSON(doc)).toContain('"work":9007199254740993');
    expect(toJSON(doc)).toContain('"work":3.0');
    const problems = read(treeOf(doc)).problems.map((p) => p.path);
    expect(problems).toEqual(["gears[2].set.work", "gears[1].set.work"]);
  });

  it("comes over the wire", () => {
    const doc = fromWire(JSON.parse(toJSON(blank("t"))) as Parameters<typeof fromWire>[0]);
    expect(toJSON(doc)).toBe(toJSON(blank("t")));
  });
});
