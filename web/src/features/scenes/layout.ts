import dagre from "@dagrejs/dagre";
import type { SceneGraph } from "./types";

export const nodeWidth = 260;
export const nodeHeight = 74;

export interface Spot {
  x: number;
  y: number;
}

/** Where the nodes stand, in how much room, and whether requests run down the picture or across it. */
export interface Layout extends Placed {
  down: boolean;
}

/**
 * Places the nodes in the order requests pass them; what runs within a call hangs
 * from it. Of across and down it takes what is shown larger in a picture of that
 * aspect, width over height: a chain of calls across a narrow pane cannot be read.
 */
export function layout(graph: SceneGraph, aspect: number): Layout {
  const across = place(graph, false);
  const down = place(graph, true);
  const scale = (p: Placed) => Math.min(aspect / p.width, 1 / p.height);
  return scale(down) > scale(across) ? { ...down, down: true } : { ...across, down: false };
}

interface Placed {
  spots: Map<string, Spot>;
  width: number;
  height: number;
}

function place(graph: SceneGraph, down: boolean): Placed {
  const g = new dagre.graphlib.Graph();
  // Between ranks there is room for what an edge says.
  g.setGraph({ rankdir: down ? "TB" : "LR", nodesep: 26, ranksep: down ? 44 : 72, marginx: 12, marginy: 12 });
  g.setDefaultEdgeLabel(() => ({}));
  for (const n of graph.nodes) g.setNode(n.id, { width: nodeWidth, height: nodeHeight });
  for (const e of graph.edges) g.setEdge(e.from, e.to);
  for (const n of graph.nodes) if (n.within) g.setEdge(n.within, n.id);
  dagre.layout(g);
  const spots = new Map<string, Spot>();
  for (const n of graph.nodes) {
    const p = g.node(n.id) as Spot;
    spots.set(n.id, { x: p.x - nodeWidth / 2, y: p.y - nodeHeight / 2 });
  }
  const { width = nodeWidth, height = nodeHeight } = g.graph() as { width?: number; height?: number };
  return { spots, width, height };
}
