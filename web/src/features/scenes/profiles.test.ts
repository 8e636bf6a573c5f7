import { expect, it } from "vitest";
import { formatOf, rangeOf, replacedBy, rowsOf } from "./profiles";
import type { Profile, SceneGraph, SceneLive } from "./types";

it("tells a form by the file's name, else by how it begins", () => {
  expect(formatOf("x.CSV", "{")).toBe("csv");
  expect(formatOf("x.json", "level,")).toBe("json");
  expect(formatOf("", '  {"levels": []}')).toBe("json");
  expect(formatOf("notes.txt", "level,p50")).toBe("csv");
});

it("finds the cell that the server names by line and column", () => {
  const csv = "level,effect\n1,0.5\r\n2,nought\n";
  const cut = ([from, to]: [number, number], text: string) => text.slice(from, to);
  expect(cut(rangeOf(csv, 3, 3, "csv"), csv)).toBe("nought");
  expect(cut(rangeOf(csv, 2, 3, "csv"), csv)).toBe("0.5");
  expect(cut(rangeOf(csv, 1, 1, "csv"), csv)).toBe("level");
  // CSV columns are bytes: 重 takes three of them.
  const wide = "class,level\n重,x\n";
  expect(cut(rangeOf(wide, 2, 5, "csv"), wide)).toBe("x");
  const json = '{"levels": [\n  {"level": "重", "p50": -1}\n]}';
  expect(cut(rangeOf(json, 2, 25, "json"), json)).toBe("-1");
  expect(rangeOf(csv, 99, 1, "csv")).toEqual([csv.length, csv.length]);
});

const profile = (id: string, more: Partial<Profile>): Profile => ({
  id,
  app: "sn",
  point: "recall",
  scene: "k2",
  source: "learned",
  classes: [],
  level_count: 3,
  samples: 10,
  measured_at: "2026-11-30T00:00:00Z",
  age_ms: 1000,
  stale: false,
  warnings: [],
  version: 1,
  updated_by: "a",
  updated_at: "2026-11-30T00:00:00Z",
  ...more,
});

const graph: SceneGraph = {
  nodes: [
    { id: "sn/recall", place: { app: "sn", point: "recall" } },
    { id: "sn/call", place: { app: "sn", point: "call" }, external: true },
    { id: "ad/select", place: { app: "ad", point: "select" } },
  ],
  edges: [],
};

const live = (more: Partial<SceneLive>): SceneLive => ({
  scene: "k2",
  now: "2026-11-30T00:00:00Z",
  regulated: true,
  links: [],
  missing: [],
  stale: [],
  served: [],
  ...more,
});

it("lists what serves first, what else there is, and what lacks", () => {
  const recall = { app: "sn", point: "recall" };
  const rows = rowsOf(
    graph,
    [
      profile("young", { age_ms: 1 }),
      profile("served", { source: "uploaded", scene: "*", age_ms: 9 }),
      profile("other scene", { scene: "feeds" }),
      profile("other point", { point: "rank" }),
    ],
    "k2",
    live({
      served: [{ place: recall, profile: "served" }],
      stale: [{ place: recall, reason: "it was measured with another level table" }],
      missing: [{ place: { app: "ad", point: "select" }, reason: "it has no profile" }],
    }),
  );
  expect(rows.map((r) => [r.node.id, r.profile?.id, r.used, r.stale, r.missing])).toEqual([
    ["sn/recall", "served", true, "it was measured with another level table", undefined],
    ["sn/recall", "young", false, undefined, undefined],
    ["ad/select", undefined, false, undefined, "it has no profile"], // the call needs none
  ]);
});

it("tells a stale profile by its own age where nobody said which serves", () => {
  const rows = rowsOf(graph, [profile("p", { stale: true, stale_reason: "it is 48h old" })], "k2", live({}));
  expect(rows[0]).toMatchObject({ used: false, stale: "it is 48h old" });
});

it("replaces only an uploaded profile of the same scope and level table", () => {
  const have = [
    profile("learned", { version: 9 }),
    profile("up", { source: "uploaded", version: 4 }),
    profile("all", { source: "uploaded", scene: "*", table: "abc", version: 5 }),
  ];
  const recall = { app: "sn", point: "recall" };
  expect(replacedBy(have, recall, "k2", "")).toBe(4);
  expect(replacedBy(have, recall, "k2", "abc")).toBe(0);
  expect(replacedBy(have, recall, "*", "abc")).toBe(5);
  expect(replacedBy(have, { app: "sn", point: "rank" }, "k2", "")).toBe(0);
});
