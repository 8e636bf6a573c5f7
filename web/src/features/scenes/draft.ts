import { edgeId, removeNode, samePlace } from "./graph";
import type { SceneDraft, SceneGraph, SceneNode } from "./types";

/** Against the graph that stands: as it was, not there yet, there and not seen, or there otherwise. */
export type Mark = "same" | "new" | "gone" | "other";

export interface NodeRow {
  node: SceneNode;
  mark: Mark;
  seen?: number; // followed requests that came to it; undefined where it was not seen
  within?: number; // of them, those that came as the graph says
  was?: SceneNode; // where it stands otherwise
}

export interface EdgeRow {
  from: string;
  to: string;
  mark: Mark;
  seen?: number; // followed requests in which the first was over before the second began
  of?: number;
}

export interface Review {
  nodes: NodeRow[];
  edges: EdgeRow[];
}

/** What is taken of a draft: nodes by id, edges by edgeId. */
export interface Choice {
  nodes: ReadonlySet<string>;
  edges: ReadonlySet<string>;
}

/** Sets a draft beside the graph that stands. Nodes are the same where their place is: ids may differ. */
export function reviewOf(have: SceneGraph, draft: SceneDraft): Review {
  const seen = new Map(draft.nodes.map((n) => [n.id, n]));
  const known = new Map(draft.edges.map((e) => [edgeId(e), e]));
  // The draft's names of nodes that stand.
  const name = new Map(
    have.nodes.map((n) => [n.id, draft.graph.nodes.find((d) => samePlace(d.place, n.place))?.id ?? n.id]),
  );
  const named = (id: string | undefined) => (id ? (name.get(id) ?? id) : "");
  const nodes: NodeRow[] = draft.graph.nodes.map((node) => {
    const was = have.nodes.find((n) => samePlace(n.place, node.place));
    const other =
      was &&
      (!!was.external !== !!node.external ||
        named(was.within) !== (node.within ?? "") ||
        named(was.fed_by) !== (node.fed_by ?? ""));
    const evidence = seen.get(node.id);
    return {
      node,
      mark: !was ? "new" : other ? "other" : "same",
      seen: evidence?.seen,
      within: evidence?.within,
      ...(other && { was }),
    };
  });
  for (const n of have.nodes)
    if (!draft.graph.nodes.some((d) => samePlace(d.place, n.place)))
      nodes.push({
        node: { ...n, within: named(n.within) || undefined, fed_by: named(n.fed_by) || undefined },
        mark: "gone",
      });
  const old = new Map(
    have.edges.map((e) => {
      const here = { from: named(e.from), to: named(e.to) };
      return [edgeId(here), here];
    }),
  );
  const edges: EdgeRow[] = draft.graph.edges.map((e) => {
    const evidence = known.get(edgeId(e));
    return { ...e, mark: old.has(edgeId(e)) ? "same" : "new", seen: evidence?.seen, of: evidence?.of };
  });
  const drawn = new Set(edges.map(edgeId));
  for (const e of old.values()) if (!drawn.has(edgeId(e))) edges.push({ ...e, mark: "gone" });
  return { nodes, edges };
}

/** What is taken unless somebody says otherwise: all that was seen. */
export const seenOf = (r: Review): Choice => ({
  nodes: new Set(r.nodes.filter((n) => n.mark !== "gone").map((n) => n.node.id)),
  edges: new Set(r.edges.filter((e) => e.mark !== "gone").map(edgeId)),
});

/** Takes a node, or leaves it. One that was not seen comes with the edges it had to others that are taken. */
export function chooseNode(r: Review, c: Choice, id: string, on: boolean): Choice {
  const nodes = new Set(c.nodes);
  const edges = new Set(c.edges);
  if (on) nodes.add(id);
  else nodes.delete(id);
  for (const e of r.edges)
    if (e.mark === "gone" && (e.from === id || e.to === id)) {
      if (on && nodes.has(e.from) && nodes.has(e.to)) edges.add(edgeId(e));
      if (!on) edges.delete(edgeId(e));
    }
  return { nodes, edges };
}

export function chooseEdge(c: Choice, e: { from: string; to: string }, on: boolean): Choice {
  const edges = new Set(c.edges);
  if (on) edges.add(edgeId(e));
  else edges.delete(edgeId(e));
  return { nodes: c.nodes, edges };
}

/** The graph that a choice makes. What a node left out stood between is joined. */
export function graphOf(r: Review, c: Choice): SceneGraph {
  let g: SceneGraph = {
    nodes: r.nodes.map((n) => n.node),
    edges: r.edges.filter((e) => c.edges.has(edgeId(e))).map(({ from, to }) => ({ from, to })),
  };
  for (const n of r.nodes) if (!c.nodes.has(n.node.id)) g = removeNode(g, n.node.id);
  return g;
}

/** Whether traffic says nothing that the graph does not say already. */
export const agrees = (r: Review) => [...r.nodes, ...r.edges].every((x) => x.mark === "same");

/** How sure an edge is, as a share of the requests that came to both; nothing was counted for one not seen. */
export const sureOf = (e: EdgeRow) => (e.seen === undefined || !e.of ? undefined : e.seen / e.of);
