import type { PlanDoc, StepDoc } from "./document";

export { countdown as span } from "../../ui/format";

// Twin of server/plan/wall.go, so that an author sees the instant behind a local
// time while typing. The server decides; this only shows.

const clocks = new Map<string, Intl.DateTimeFormat>();

function clockOf(zone: string): Intl.DateTimeFormat {
  let c = clocks.get(zone);
  if (!c) {
    c = new Intl.DateTimeFormat("en-US", {
      timeZone: zone,
      hourCycle: "h23",
      year: "numeric",
      month: "2-digit",
      day: "2-digit",
      hour: "2-digit",
      minute: "2-digit",
      second: "2-digit",
    });
    clocks.set(zone, c);
  }
  return c;
}

export function isZone(zone: string): boolean {
  try {
    return zone !== "" && !!clockOf(zone);
  } catch {
    return false;
  }
}

/** What a clock in the zone shows, as if it were UTC. */
function figures(ms: number, zone: string): number {
  const p: Record<string, number> = {};
  for (const part of clockOf(zone).formatToParts(ms)) p[part.type] = Number(part.value);
  return Date.UTC(p.year!, p.month! - 1, p.day, p.hour, p.minute, p.second);
}

/** How far the zone's clocks are ahead of UTC at an instant, in ms. */
export function offsetAt(ms: number, zone: string): number {
  const whole = Math.floor(ms / 1000) * 1000;
  return figures(whole, zone) - whole;
}

/** "2026-11-10 23:56:00" as a clock in the zone shows the instant. */
export function wallOf(ms: number, zone: string): string {
  return new Date(figures(ms, zone)).toISOString().slice(0, 19).replace("T", " ");
}

/** "+08:00" */
export function offsetName(ms: number, zone: string): string {
  const minutes = Math.round(offsetAt(ms, zone) / 60_000);
  const pad = (n: number) => String(Math.trunc(n)).padStart(2, "0");
  return `${minutes < 0 ? "-" : "+"}${pad(Math.abs(minutes) / 60)}:${pad(Math.abs(minutes) % 60)}`;
}

const wallForm = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d)(?::(\d\d))?$/;

/** The figures of a local time, or undefined when it has another form. */
export function parseWall(text: string): number | undefined {
  const m = wallForm.exec(text);
  if (!m) return undefined;
  const [y, mo, d, h, mi, s] = m.slice(1).map((x) => Number(x ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const t = Date.UTC(y, mo - 1, d, h, mi, s);
  const back = new Date(t).toISOString();
  return back.startsWith(`${m[1]}-${m[2]}-${m[3]}T${m[4]}:${m[5]}`) && s < 60 ? t : undefined;
}

export interface Instants {
  /** One as a rule, two where clocks go back over it, none where they go forward. */
  exact: number[];
  /** What may have been meant, the earlier first. */
  near: number[];
}

export function instantsOf(wall: number, zone: string): Instants {
  const day = 86_400_000;
  const before = offsetAt(wall - day, zone);
  const after = offsetAt(wall + day, zone);
  const offsets = before === after ? [before] : [Math.max(before, after), Math.min(before, after)];
  const near = offsets.map((o) => wall - o);
  return { near, exact: near.filter((t) => figures(t, zone) === wall) };
}

export type Overlap = "earlier" | "later";

/** The instant of a local time, if it has one. */
export function instantOf(text: string | undefined, zone: string, which?: string): number | undefined {
  const wall = parseWall(text ?? "");
  if (wall === undefined || !isZone(zone)) return undefined;
  const { exact } = instantsOf(wall, zone);
  if (exact.length === 2) return which === "later" ? exact[1] : which === "earlier" ? exact[0] : undefined;
  return exact[0];
}

const units: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** "2h", "1m30s" in ms. */
export function lengthOf(text: string | undefined): number | undefined {
  const s = (text ?? "").trim();
  if (!s) return undefined;
  if (!/^-?(\d+(\.\d+)?(ns|us|µs|ms|s|m|h))+$/.test(s)) return undefined;
  let sum = 0;
  for (const m of s.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|ms|s|m|h)/g)) sum += Number(m[1]) * units[m[2]!]!;
  return s.startsWith("-") ? -sum : sum;
}

export interface Span {
  name: string;
  start: number | undefined;
  end: number | undefined; // undefined too for what needs none
}

/** The instants of a plan's steps as far as they can be worked out; of a repeating plan relative to its first step. */
export function scheduleOf(doc: PlanDoc, anchor?: number): Span[] {
  const starts = new Map<string, number>();
  const own = (s: StepDoc, i: number) =>
    doc.repeat ? (i === 0 && !s.after ? anchor : undefined) : instantOf(s.at, doc.zone, s.overlap);
  for (let round = 0; round < doc.steps.length; round++)
    doc.steps.forEach((s, i) => {
      if (starts.has(s.name)) return;
      const after = s.after ? starts.get(s.after) : undefined;
      const t = s.after
        ? after === undefined
          ? undefined
          : after + (s.offset ? (lengthOf(s.offset) ?? NaN) : 0)
        : own(s, i);
      if (t !== undefined && !Number.isNaN(t)) starts.set(s.name, t);
    });
  return doc.steps.map((s) => {
    const start = starts.get(s.name);
    let end: number | undefined;
    if (s.until) end = starts.get(s.until);
    else if (s.until_at) end = instantOf(s.until_at, doc.zone, s.until_overlap);
    else if (s.for && start !== undefined) {
      const d = lengthOf(s.for);
      end = d === undefined ? undefined : start + d;
    }
    return { name: s.name, start, end };
  });
}
