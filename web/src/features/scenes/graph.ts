import type { SceneGraph, SceneNode, ScenePlace } from "./types";

/** What each edit gives is a new graph; one that changes nothing gives the old one. */

export const idOf = (p: ScenePlace) => `${p.app}/${p.point}`;

export const edgeId = (e: { from: string; to: string }) => `${e.from}>${e.to}`;

export const samePlace = (a: ScenePlace, b: ScenePlace) => a.app === b.app && a.point === b.point;

export const empty: SceneGraph = { nodes: [], edges: [] };

export function addNode(g: SceneGraph, place: ScenePlace, external: boolean): SceneGraph {
  if (g.nodes.some((n) => samePlace(n.place, place) || n.id === idOf(place))) return g;
  const node: SceneNode = { id: idOf(place), place, ...(external && { external }) };
  return { ...g, nodes: [...g.nodes, node] };
}

/**
 * Removes a node. What was over before it is then over before what followed it,
 * what ran within it runs where it ran, and what it fed is fed by what fed it.
 */
export function removeNode(g: SceneGraph, id: string): SceneGraph {
  const gone = g.nodes.find((n) => n.id === id);
  if (!gone) return g;
  const before = g.edges.filter((e) => e.to === id).map((e) => e.from);
  const after = g.edges.filter((e) => e.from === id).map((e) => e.to);
  const left = {
    nodes: g.nodes.filter((n) => n.id !== id),
    edges: g.edges.filter((e) => e.from !== id && e.to !== id),
  };
  const nodes = left.nodes.map((n) =>
    n.within === id || n.fed_by === id
      ? {
          ...n,
          within: n.within === id ? gone.within : n.within,
          fed_by: n.fed_by === id ? gone.fed_by : n.fed_by,
        }
      : n,
  );
  let edges = left.edges;
  for (const from of before)
    for (const to of after) if (from !== to && !reaches(edges, from, to)) edges = [...edges, { from, to }];
  return { nodes, edges };
}

export function editNode(g: SceneGraph, id: string, change: Partial<SceneNode>): SceneGraph {
  return { ...g, nodes: g.nodes.map((n) => (n.id === id ? { ...n, ...change } : n)) };
}

export function addEdge(g: SceneGraph, from: string, to: string): SceneGraph {
  return from === to || g.edges.some((e) => e.from === from && e.to === to)
    ? g
    : { ...g, edges: [...g.edges, { from, to }] };
}

export function removeEdges(g: SceneGraph, gone: { from: string; to: string }[]): SceneGraph {
  const ids = new Set(gone.map(edgeId));
  return { ...g, edges: g.edges.filter((e) => !ids.has(edgeId(e))) };
}

/** Whether edges lead from one node to another. */
export function reaches(edges: SceneGraph["edges"], from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop()) {
    if (at === to) return true;
    if (seen.has(at)) continue;
    seen.add(at);
    for (const e of edges) if (e.from === at) open.push(e.to);
  }
  return false;
}

/** Which node, or edge, a place of the server's answer means: "graph.nodes[3].timeout" is of the fourth node. */
export function partOf(g: SceneGraph, path: string): { node?: string; edge?: string; field?: string } {
  const m = /^graph\.(nodes|edges)\[(\d+)\](?:\.(\w+))?/.exec(path);
  if (!m) return {};
  const i = Number(m[2]);
  if (m[1] === "nodes") return { node: g.nodes[i]?.id, field: m[3] };
  const e = g.edges[i];
  return { edge: e && edgeId(e) };
}

/** Whether two graphs say the same, whatever is left out or written as nothing. */
export function sameGraph(a: SceneGraph, b: SceneGraph): boolean {
  const text = (g: SceneGraph) =>
    JSON.stringify([
      g.nodes.map((n) => [
        n.id,
        n.place.app,
        n.place.point,
        !!n.external,
        n.within ?? "",
        n.fed_by ?? "",
        n.timeout ?? "",
        n.network ?? "",
        n.retries ?? 0,
      ]),
      g.edges.map((e) => [e.from, e.to]),
    ]);
  return a === b || text(a) === text(b);
}
