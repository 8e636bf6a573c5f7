import type { DiffChange, Selector } from "../../api/types";
import type { Place } from "../../api/problem";
import { curvesText, readCurves } from "./curves";
import { laws, settings, tickMs, type Field, type FieldKey, type SettingKey } from "./fields";
import type { QuotaGroup, QuotaGroupInput, QuotaSettings } from "./types";
import { duration, number } from "./units";

/**
 * What somebody changed on top of a stored group, as typed. Kept apart from the
 * group, so that another's write can be put underneath without losing it.
 */
export interface Edits {
  values: Partial<Record<FieldKey, string>>;
  members?: Selector[];
}

export const none: Edits = { values: {} };

/** What is wrong with a field: a message key below "quota.fault" and its places. */
export interface Fault {
  key: "number" | "range" | "duration" | "span" | "multiple" | "law" | "curves" | "noCurves";
  lo?: string;
  hi?: string;
  line?: number;
}

export function stored(g: QuotaGroup, key: FieldKey): string {
  switch (key) {
    case "description":
      return g.description;
    case "enabled":
      return String(g.enabled);
    case "curves":
      return curvesText(g.settings.curves);
    default:
      return String(g.settings[key]);
  }
}

export const valueOf = (g: QuotaGroup, e: Edits, key: FieldKey): string => e.values[key] ?? stored(g, key);

export const membersOf = (g: QuotaGroup, e: Edits): Selector[] => e.members ?? g.members;

/** Sets a field; back to what is stored is no edit. */
export function edited(g: QuotaGroup, e: Edits, key: FieldKey, text: string): Edits {
  const values = { ...e.values };
  if (text === stored(g, key)) delete values[key];
  else values[key] = text;
  return { ...e, values };
}

export function withMembers(g: QuotaGroup, e: Edits, members: Selector[]): Edits {
  return { ...e, members: JSON.stringify(members) === JSON.stringify(g.members) ? undefined : members };
}

export const isDirty = (e: Edits) => Object.keys(e.values).length > 0 || e.members !== undefined;

/** Puts a newer group under the edits; those that say the same now are gone. */
export function rebased(g: QuotaGroup, e: Edits): Edits {
  let out: Edits = none;
  for (const [key, text] of Object.entries(e.values)) out = edited(g, out, key as FieldKey, text);
  return e.members ? withMembers(g, out, e.members) : out;
}

function faultOf(f: Field, text: string, all: (key: FieldKey) => string): Fault | undefined {
  const span = { lo: String(f.lo), hi: String(f.hi) };
  switch (f.kind) {
    case "number": {
      const v = number(text);
      if (v === undefined) return { key: "number", ...span };
      const [lo, hi] = boundsOf(f, all);
      if (!(v >= lo && v <= hi)) return { key: "range", lo: String(lo), hi: String(hi) };
      return undefined;
    }
    case "duration": {
      const v = duration(text.trim());
      if (v === undefined) return { key: "duration" };
      if (v < f.lo! || v > f.hi!) return { key: "span", lo: `${f.lo}ms`, hi: `${f.hi! / 1000}s` };
      if (f.key === "window" && v % tickMs !== 0) return { key: "multiple" };
      return undefined;
    }
    case "law":
      return (laws as readonly string[]).includes(text) ? undefined : { key: "law" };
    case "curves": {
      if (all("law") !== "dcaf") return undefined;
      const read = readCurves(text);
      if ("line" in read) return { key: "curves", line: read.line };
      return read.curves.length ? undefined : { key: "noCurves" };
    }
    default:
      return undefined;
  }
}

// Some bounds are other fields; while those cannot be read the fixed ones hold.
function boundsOf(f: Field, all: (key: FieldKey) => string): [number, number] {
  const other = (key: SettingKey) => number(all(key));
  switch (f.key) {
    case "q_min":
      return [f.lo!, Math.min(f.hi!, other("q_max") ?? f.hi!)];
    case "default_quota":
      return [other("q_min") ?? f.lo!, other("q_max") ?? f.hi!];
    case "weight_max":
      return [other("weight_min") ?? f.lo!, f.hi!];
    default:
      return [f.lo!, f.hi!];
  }
}

export function faultsOf(g: QuotaGroup, e: Edits): Map<FieldKey, Fault> {
  const all = (key: FieldKey) => valueOf(g, e, key);
  const out = new Map<FieldKey, Fault>();
  for (const f of settings) {
    const fault = faultOf(f, all(f.key), all);
    if (fault) out.set(f.key, fault);
  }
  return out;
}

/** What the server refused, by field; paths come with and without "settings". */
export function placesOf(places: Place[]): Map<string, string> {
  const out = new Map<string, string>();
  for (const p of places) {
    const key = p.path.replace(/^(body\.)?(settings\.)?/, "").replace(/[.[].*$/, "");
    if (!out.has(key)) out.set(key, p.message);
  }
  return out;
}

/** The settings as the API wants them. Only without faults. */
export function settingsOf(g: QuotaGroup, e: Edits): QuotaSettings {
  const text = (key: FieldKey) => valueOf(g, e, key);
  const out: Record<string, unknown> = {};
  for (const f of settings)
    switch (f.kind) {
      case "number":
        out[f.key] = number(text(f.key)) ?? NaN;
        break;
      case "flag":
        out[f.key] = text(f.key) === "true";
        break;
      case "curves": {
        const read = readCurves(text("curves"));
        if ("curves" in read && read.curves.length) out.curves = read.curves;
        break;
      }
      default:
        out[f.key] = text(f.key).trim();
    }
  return out as unknown as QuotaSettings;
}

export function inputOf(g: QuotaGroup, e: Edits, reason?: string): QuotaGroupInput {
  return {
    name: g.name,
    description: valueOf(g, e, "description"),
    enabled: valueOf(g, e, "enabled") === "true",
    members: membersOf(g, e),
    settings: settingsOf(g, e),
    ...(reason ? { reason } : {}),
  };
}

export function changesOf(g: QuotaGroup, e: Edits): DiffChange[] {
  const out: DiffChange[] = Object.entries(e.values).map(([key, to]) => ({
    op: "change",
    path: key,
    from: stored(g, key as FieldKey),
    to,
  }));
  if (e.members) {
    const text = (ms: Selector[]) => ms.map(selectorText).join(", ");
    out.push({ op: "change", path: "members", from: text(g.members), to: text(e.members) });
  }
  return out;
}

export const selectorText = (m: Selector) => `${m.scene}/${m.idc}/${m.app}/${m.point}`;
