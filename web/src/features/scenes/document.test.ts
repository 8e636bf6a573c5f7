import { expect, it } from "vitest";
import {
  below,
  blank,
  elsewhere,
  fieldOf,
  formOf,
  inputOf,
  inputOfForm,
  ladderOf,
  msOf,
  ontoNewer,
  placeOf,
  shareOf,
  spanOf,
} from "./document";
import { empty } from "./graph";
import type { Scene } from "./types";

const scene: Scene = {
  id: "1",
  name: "k2",
  description: "Display ads",
  target: "300ms",
  statistic: "p99",
  timeout: "700ms",
  max_timeouts: 0.007,
  ladder: ["260ms", "1.5ms"],
  from: "80ms",
  to: "400ms",
  front: { app: "frontend", point: "entry" },
  feedback_alone: true,
  graph: { nodes: [{ id: "sn/recall", place: { app: "sn", point: "recall" } }], edges: [] },
  version: 3,
  warnings: [],
  created_by: "a",
  created_at: "2026-11-30T00:00:00Z",
  updated_by: "a",
  updated_at: "2026-11-30T00:00:00Z",
};

it("gives back what it was given", () => {
  expect(inputOfForm(formOf(scene), scene.graph)).toEqual(inputOf(scene));
});

it("takes a bare number as milliseconds, and a ladder in any hand", () => {
  expect(["160", "160ms", " 1.5 ", "2s", "soon", ""].map(spanOf)).toEqual([
    "160ms",
    "160ms",
    "1.5ms",
    "2s",
    "soon", // for the server to refuse
    "",
  ]);
  expect(ladderOf("260ms, 220；190·160，130ms")).toEqual(["260ms", "220ms", "190ms", "160ms", "130ms"]);
  expect(ladderOf("  ")).toEqual([]);
});

it("reads durations as documents write them", () => {
  expect(["160ms", "160", "1.5s", "1m30s", "600µs", "600us"].map(msOf)).toEqual([
    160, 160, 1500, 90_000, 0.6, 0.6,
  ]);
  expect(["", "soon", "16 0ms", "-3ms", "160 ms"].map(msOf)).toEqual([
    undefined,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(below(["260ms", "0.2s", "130ms"], "200ms")).toEqual(["130ms"]);
  expect(below(["260ms"], "soon")).toEqual(["260ms"]); // the server says what is wrong
});

it("reads the share of timeouts in percent, and knows what is no number", () => {
  expect(["1", "0.7 %", "", "0"].map(shareOf)).toEqual([0.01, 0.007, 0, 0]);
  expect(shareOf("many")).toBeUndefined();
});

it("sends a new scene without what was left empty", () => {
  const sent = inputOfForm({ ...blank, name: " k3 ", target: "200" }, empty);
  expect(JSON.parse(JSON.stringify(sent))).toEqual({
    name: "k3",
    target: "200ms",
    statistic: "mean",
    max_timeouts: 0.01,
    ladder: [],
    front: { app: "", point: "" },
    graph: { nodes: [], edges: [] },
  });
  expect(placeOf("frontend/entry/x")).toEqual({ app: "frontend", point: "entry/x" });
});

it("shows each problem in its field, and the rest elsewhere", () => {
  expect(["ladder[2]", "range", "max_timeouts", "front.app", "graph.nodes[0].id"].map(fieldOf)).toEqual([
    "ladder",
    "to",
    "maxTimeouts",
    "front",
    undefined,
  ]);
  const p = (path: string) => ({ path, code: "range", message: "no" });
  expect(elsewhere({ problems: [p("target"), p("graph")], warnings: [p("ladder[0]")] })).toEqual({
    problems: [p("graph")],
    warnings: [],
  });
  expect(elsewhere(undefined)).toBeUndefined();
});

it("keeps what was typed when a newer version comes, and follows it elsewhere", () => {
  const base = formOf(scene);
  const mine = { ...base, description: "mine", timeout: "800ms" };
  const theirs = { ...base, target: "160ms", timeout: "600ms" };
  expect(ontoNewer(base, mine, theirs)).toEqual({
    form: { ...base, description: "mine", target: "160ms", timeout: "800ms" },
    both: ["timeout"],
  });
  expect(ontoNewer(base, mine, mine)).toEqual({ form: mine, both: [] }); // they saved the same
  expect(ontoNewer(base, base, theirs)).toEqual({ form: theirs, both: [] });
});
