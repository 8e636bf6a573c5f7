import { createContext } from "react";
import type { SceneLinkNode } from "./types";

/** A second of a scene in an IDC: its nodes by id, and the most requests that one of them has. */
export interface Second {
  nodes: ReadonlyMap<string, SceneLinkNode>;
  most: number;
}

export const rateOf = (n: SceneLinkNode | undefined) => (n?.recent ?? n?.live)?.qps;

export function secondOf(nodes: readonly SceneLinkNode[] | undefined): Second {
  return {
    nodes: new Map(nodes?.map((n) => [n.id, n])),
    most: Math.max(1, ...(nodes ?? []).map((n) => rateOf(n) ?? 0)),
  };
}

/**
 * What boxes and edges say of this second. It reaches them past the graph's library,
 * whose nodes and edges stay the same objects: given as their data, every second would
 * go through its store, which cannot be interrupted, and through all it measures.
 */
export const Live = createContext<Second>(secondOf(undefined));

/**
 * What is looked for. A letter in the search changes only the look of nodes, and
 * takes the same way.
 */
export const Finding = createContext("");
