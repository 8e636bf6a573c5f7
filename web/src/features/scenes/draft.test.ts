import { expect, it } from "vitest";
import { agrees, chooseEdge, chooseNode, graphOf, reviewOf, seenOf, sureOf } from "./draft";
import { addEdge, addNode, edgeId, empty, partOf, reaches, removeNode, sameGraph } from "./graph";
import type { SceneDraft, SceneGraph, SceneNode } from "./types";

const node = (id: string, more: Partial<SceneNode> = {}): SceneNode => {
  const [app = "", point = ""] = id.split("/");
  return { id, place: { app, point }, ...more };
};

/** nodes as texts; "a/b>c/d" is an edge. */
const graph = (nodes: SceneNode[], ...edges: string[]): SceneGraph => ({
  nodes,
  edges: edges.map((e) => {
    const [from = "", to = ""] = e.split(">");
    return { from, to };
  }),
});

const draft = (g: SceneGraph, seen = 100): SceneDraft => ({
  scene: "k2",
  graph: g,
  nodes: g.nodes.map((n) => ({ id: n.id, seen, within: seen })),
  edges: g.edges.map((e) => ({ ...e, seen, of: seen })),
  left: [],
  new: [],
  gone: [],
});

const seen = graph(
  [
    node("sn/recall"),
    node("sn/call", { external: true }),
    node("ad/select", { within: "sn/call" }),
    node("sn/rank", { fed_by: "sn/recall" }),
  ],
  "sn/recall>sn/call",
  "sn/call>sn/rank",
);

it("takes a draft whole unless somebody says otherwise", () => {
  const review = reviewOf(empty, draft(seen));
  expect(review.nodes.every((n) => n.mark === "new")).toBe(true);
  expect(graphOf(review, seenOf(review))).toEqual(seen);
});

it("says when traffic agrees with the graph, whatever the nodes are called there", () => {
  expect(agrees(reviewOf(seen, draft(seen)))).toBe(true);
  const renamed = graph(
    seen.nodes.map((n) => ({
      ...n,
      id: `my ${n.id}`,
      within: n.within && `my ${n.within}`,
      fed_by: n.fed_by && `my ${n.fed_by}`,
    })),
    "my sn/recall>my sn/call",
    "my sn/call>my sn/rank",
  );
  expect(agrees(reviewOf(renamed, draft(seen)))).toBe(true);
});

it("marks what is new, what was not seen, and what stands otherwise", () => {
  const have = graph(
    [node("sn/recall"), node("ad/select"), node("sn/old"), node("sn/rank", { fed_by: "sn/recall" })],
    "sn/recall>sn/old",
    "sn/old>sn/rank",
  );
  const review = reviewOf(have, draft(seen));
  const marks = Object.fromEntries(review.nodes.map((n) => [n.node.id, n.mark]));
  expect(marks).toEqual({
    "sn/recall": "same",
    "sn/call": "new",
    "ad/select": "other", // it runs within the call
    "sn/rank": "same",
    "sn/old": "gone",
  });
  expect(review.nodes.find((n) => n.node.id === "ad/select")?.was?.within).toBeUndefined();
  expect(Object.fromEntries(review.edges.map((e) => [edgeId(e), e.mark]))).toEqual({
    "sn/recall>sn/call": "new",
    "sn/call>sn/rank": "new",
    "sn/recall>sn/old": "gone",
    "sn/old>sn/rank": "gone",
  });
  expect(graphOf(review, seenOf(review))).toEqual(seen); // what was not seen is not taken
});

it("keeps a node that was not seen, with the edges it had", () => {
  const have = graph([...seen.nodes, node("sn/old")], "sn/recall>sn/old", "sn/old>sn/rank");
  const review = reviewOf(have, draft(seen));
  const kept = chooseNode(review, seenOf(review), "sn/old", true);
  expect(graphOf(review, kept).nodes.map((n) => n.id)).toContain("sn/old");
  expect(graphOf(review, kept).edges.map(edgeId)).toEqual([
    "sn/recall>sn/call",
    "sn/call>sn/rank",
    "sn/recall>sn/old",
    "sn/old>sn/rank",
  ]);
  // Left out again, nothing of it stays.
  expect(graphOf(review, chooseNode(review, kept, "sn/old", false))).toEqual(seen);
});

it("joins what a node left out stood between, and frees what ran within it", () => {
  const review = reviewOf(empty, draft(seen));
  const without = graphOf(review, chooseNode(review, seenOf(review), "sn/call", false));
  expect(without.edges).toEqual([{ from: "sn/recall", to: "sn/rank" }]);
  expect(without.nodes.find((n) => n.id === "ad/select")?.within).toBeUndefined();
  const unfed = graphOf(review, chooseNode(review, seenOf(review), "sn/recall", false));
  expect(unfed.nodes.find((n) => n.id === "sn/rank")?.fed_by).toBeUndefined();
});

it("leaves out a single edge", () => {
  const review = reviewOf(empty, draft(seen));
  const c = chooseEdge(seenOf(review), { from: "sn/call", to: "sn/rank" }, false);
  expect(graphOf(review, c).edges.map(edgeId)).toEqual(["sn/recall>sn/call"]);
  expect(graphOf(review, chooseEdge(c, { from: "sn/call", to: "sn/rank" }, true))).toEqual(seen);
});

it("says how sure an order is only where requests were counted", () => {
  expect(sureOf({ from: "a", to: "b", mark: "new", seen: 49, of: 50 })).toBeCloseTo(0.98);
  expect(sureOf({ from: "a", to: "b", mark: "gone" })).toBeUndefined();
});

it("changes nothing for a node or an edge that stands already", () => {
  const one = addNode(empty, { app: "sn", point: "recall" }, false);
  expect(one.nodes).toEqual([node("sn/recall")]);
  expect(addNode(one, { app: "sn", point: "recall" }, true)).toBe(one);
  expect(addEdge(seen, "sn/recall", "sn/call")).toBe(seen);
  expect(addEdge(seen, "sn/rank", "sn/rank")).toBe(seen);
  expect(removeNode(seen, "nobody")).toBe(seen);
});

it("joins nothing twice, and follows edges around a circle once", () => {
  const around = graph([node("a/a"), node("b/b"), node("c/c")], "a/a>b/b", "b/b>c/c", "a/a>c/c");
  expect(removeNode(around, "b/b").edges).toEqual([{ from: "a/a", to: "c/c" }]);
  const circle = graph([node("a/a"), node("b/b")], "a/a>b/b", "b/b>a/a");
  expect(reaches(circle.edges, "a/a", "z/z")).toBe(false);
  expect(removeNode(circle, "b/b").edges).toEqual([]);
});

it("finds the part of the graph that the server speaks of", () => {
  expect(partOf(seen, "graph.nodes[1].timeout")).toEqual({ node: "sn/call", field: "timeout" });
  expect(partOf(seen, "graph.edges[0]")).toEqual({ edge: "sn/recall>sn/call" });
  expect(partOf(seen, "graph.nodes[9].id").node).toBeUndefined();
  expect(partOf(seen, "target")).toEqual({});
});

it("compares graphs by what they say", () => {
  const written = graph(
    seen.nodes.map((n) => ({ ...n, retries: 0, timeout: undefined })),
    "sn/recall>sn/call",
    "sn/call>sn/rank",
  );
  expect(sameGraph(seen, written)).toBe(true);
  expect(sameGraph(seen, addEdge(seen, "sn/recall", "sn/rank"))).toBe(false);
  expect(sameGraph(seen, removeNode(seen, "ad/select"))).toBe(false);
});
