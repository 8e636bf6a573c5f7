import type { Scene } from "./types";

/** What one half of the page shows. */
export interface Pane {
  idc: string | undefined;
  at: string | undefined; // a past minute; now without
}

export interface LinksQuery {
  view: "graph" | "table";
  idc?: string;
  at?: string;
  with?: string; // idc:NAME or at:TIME
  hours: number; // that the scrubber spans
}

export const spans = [1, 6, 24] as const;

/** The start of the minute that an instant lies in. */
export const minuteOf = (ms: number): string => new Date(Math.floor(ms / 60_000) * 60_000).toISOString();

const time = (s: string | null) => (s && !Number.isNaN(Date.parse(s)) ? minuteOf(Date.parse(s)) : undefined);

/** What the address says; anything unknown is the default. */
export function queryOf(p: URLSearchParams): LinksQuery {
  const beside = p.get("with") ?? "";
  return {
    view: p.get("view") === "table" ? "table" : "graph",
    idc: p.get("idc") || undefined,
    at: time(p.get("at")),
    with:
      (beside.startsWith("idc:") && beside.length > 4) || (beside.startsWith("at:") && time(beside.slice(3)))
        ? beside
        : undefined,
    hours: spans.find((h) => h === Number(p.get("hours"))) ?? 1,
  };
}

/** The other half: another IDC at the same moment, or the same IDC at another moment. */
export function paneOf(q: LinksQuery): Pane | undefined {
  if (q.with?.startsWith("idc:")) return { idc: q.with.slice(4), at: q.at };
  if (q.with?.startsWith("at:")) return { idc: undefined, at: time(q.with.slice(3)) };
  return undefined;
}

export const momentText = (at: string | undefined, now: string, text: (s: string) => string) =>
  at ? text(at) : now;

/** Whether a node is meant by the text; undefined where nothing is looked for. */
export function found(find: string, node: { id: string; place: { app: string; point: string } }) {
  const needle = find.trim().toLowerCase();
  if (!needle) return undefined;
  return `${node.id} ${node.place.app} ${node.place.point}`.toLowerCase().includes(needle);
}

/** The page of the point that a node stands for, in an IDC. */
export function pointPath(scene: Pick<Scene, "name" | "graph">, idc: string, node: string): string {
  const place = scene.graph.nodes.find((n) => n.id === node)?.place;
  const parts = [scene.name, idc, place?.app ?? "", place?.point ?? ""];
  return `/points/${parts.map(encodeURIComponent).join("/")}`;
}
