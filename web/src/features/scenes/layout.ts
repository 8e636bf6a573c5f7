import dagre from "@dagrejs/dagre";
import type { SceneGraph } from "./types";

export const nodeWidth = 260;
export const nodeHeight = 74;

export interface Spot {
  x: number;
  y: number;
}

/** Places the nodes from left to right in the order requests pass them; what runs within a call hangs below it. */
export function layout(graph: SceneGraph): Map<string, Spot> {
  const g = new dagre.graphlib.Graph();
  g.setGraph({ rankdir: "LR", nodesep: 26, ranksep: 72, marginx: 12, marginy: 12 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of graph.nodes) g.setNode(n.id, { width: nodeWidth, height: nodeHeight });
  for (const e of graph.edges) g.setEdge(e.from, e.to);
  for (const n of graph.nodes) if (n.within) g.setEdge(n.within, n.id);
  dagre.layout(g);
  const out = new Map<string, Spot>();
  for (const n of graph.nodes) {
    const p = g.node(n.id) as Spot;
    out.set(n.id, { x: p.x - nodeWidth / 2, y: p.y - nodeHeight / 2 });
  }
  return out;
}
