import type { Agent, PointState } from "../../api/types";

export interface CellSummary {
  app: string;
  idc: string;
  points: number;
  qps: number;
  rtMean: number | undefined; // request-weighted
  lost: number | undefined;
  overridden: number;
  atFloor: number;
  connected: number;
  agents: number;
  current: number | undefined; // hold the newest orders; undefined where there are none to hold
  refused: number;
}

/** One cell an app and IDC, from the live points and agents. */
export function summarise(points: PointState[], agents: Agent[]): CellSummary[] {
  const cells = new Map<
    string,
    CellSummary & { count: number; rt: number; bad: number; hold: number; orders: boolean }
  >();
  const cell = (app: string, idc: string) => {
    const key = `${app}\n${idc}`;
    let c = cells.get(key);
    if (!c) {
      c = {
        app,
        idc,
        points: 0,
        qps: 0,
        rtMean: undefined,
        lost: undefined,
        overridden: 0,
        atFloor: 0,
        connected: 0,
        agents: 0,
        current: undefined,
        hold: 0,
        orders: false,
        refused: 0,
        count: 0,
        rt: 0,
        bad: 0,
      };
      cells.set(key, c);
    }
    return c;
  };
  for (const p of points) {
    const c = cell(p.app, p.idc);
    c.points++;
    if (p.source === "manual" || p.source === "emergency") c.overridden++;
    if (p.order) c.orders = true;
    // A call has no levels: it cannot be at their floor.
    const turns = p.order && p.order.max_level > p.order.min_level;
    if (turns && (p.recent?.count ? p.recent.level_mean : p.order!.level) <= p.order!.min_level) c.atFloor++;
    const m = p.recent;
    if (!m?.count) continue;
    c.qps += m.qps;
    c.count += m.count;
    c.rt += m.rt_mean_ms * m.count;
    c.bad += m.timeouts + m.errors + m.shed;
  }
  for (const a of agents) {
    const c = cell(a.app, a.idc);
    if (a.state === "disconnected" || a.state === "banned") continue;
    c.agents++;
    if (a.state === "connected") c.connected++;
    if (a.current) c.hold++;
    if (a.held.revision > 0) c.orders = true;
    if (a.last_ack?.refused) c.refused++;
  }
  return [...cells.values()]
    .map(({ count, rt, bad, hold, orders, ...c }) => ({
      ...c,
      current: orders ? hold : undefined,
      rtMean: count ? rt / count : undefined,
      lost: count ? bad / count : undefined,
    }))
    .sort((a, b) => a.app.localeCompare(b.app) || a.idc.localeCompare(b.idc));
}
