import type { PointKey, PointState } from "../../api/types";

export const idOf = (p: PointKey) => `${p.scene}/${p.idc}/${p.app}/${p.point}`;

export const pathOf = (p: PointKey) =>
  `/points/${[p.scene, p.idc, p.app, p.point].map(encodeURIComponent).join("/")}`;

/** Puts newer states into a list, keeping every untouched row's identity so that it does not repaint. */
export function merge(rows: PointState[], news: PointState[]): PointState[] {
  if (!news.length) return rows;
  const byId = new Map(news.map((p) => [idOf(p), p]));
  let changed = false;
  const out = rows.map((r) => {
    const next = byId.get(idOf(r));
    if (!next || JSON.stringify(next) === JSON.stringify(r)) return r;
    changed = true;
    return next;
  });
  return changed ? out : rows;
}

/** The rows of a "point" event, whatever envelope it came in. */
export function statesOf(data: unknown): PointState[] {
  const inner = (data as { data?: unknown } | undefined)?.data ?? data;
  return Array.isArray(inner) ? (inner as PointState[]) : [];
}
