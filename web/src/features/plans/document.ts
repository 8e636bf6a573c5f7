import { parse, stringify } from "yaml";
import { wallOf } from "./calendar";

// The document as server/plan/document.go reads it. Fields hold what was typed,
// so that a wrong figure is shown where it stands and refused by the server's words.

export interface SetDoc {
  scene?: string;
  idc?: string;
  app?: string;
  point?: string;
  bucket?: string;
  template?: string;
  version?: number | string;
  level?: number | string;
  strategy?: string;
  available_rt?: string;
  timeout?: string;
  target_rt?: string;
  budget?: number | string;
}

export interface StepDoc {
  name: string;
  do?: string;
  at?: string;
  overlap?: string;
  after?: string;
  offset?: string;
  until?: string;
  until_at?: string;
  until_overlap?: string;
  for?: string;
  scope?: SetDoc;
  set?: SetDoc[];
}

export interface PlanDoc {
  name: string;
  zone: string;
  owner: string;
  executor: string;
  approver?: string;
  purpose?: string;
  repeat?: string;
  gap?: string;
  overlap?: string;
  steps: StepDoc[];
}

export const places = ["scene", "idc", "app", "point", "bucket"] as const;
export const actions = [
  "level",
  "strategy",
  "available_rt",
  "timeout",
  "target_rt",
  "budget",
  "template",
] as const;
export type Action = (typeof actions)[number];

export const isTerminal = (s: Pick<StepDoc, "do">) => s.do === "auto" || s.do === "restore";

const numeric = new Set(["version", "level", "budget"]);

/** Takes out what is empty and makes figures of figures. */
export function clean(doc: PlanDoc): PlanDoc {
  const trim = <T extends object>(o: T): T =>
    Object.fromEntries(
      Object.entries(o).flatMap(([k, v]: [string, unknown]) => {
        if (v === undefined || v === null || v === "") return [];
        if (numeric.has(k) && typeof v === "string" && v.trim() !== "" && Number.isFinite(Number(v)))
          return [[k, Number(v)]];
        return [[k, v]];
      }),
    ) as T;
  return {
    ...trim({ ...doc, steps: [] as StepDoc[] }),
    steps: doc.steps.map((s) => {
      const set = (s.set ?? []).map(trim).filter((x) => Object.keys(x).length > 0);
      const step = trim({ ...s, set: undefined, scope: s.scope && trim(s.scope) });
      return set.length ? { ...step, set } : step;
    }),
  };
}

export const toYAML = (doc: PlanDoc): string => stringify(clean(doc), { lineWidth: 0 });

const texts = (v: unknown): string | undefined =>
  v === undefined || v === null
    ? undefined
    : typeof v === "string" || typeof v === "number"
      ? String(v)
      : JSON.stringify(v);

const figuresToo = (v: unknown) => (typeof v === "number" ? v : texts(v));

function setOf(v: unknown, scope?: SetDoc): SetDoc {
  const out: Record<string, unknown> = { ...scope };
  for (const [k, x] of Object.entries(v ?? {})) out[k] = numeric.has(k) ? figuresToo(x) : texts(x);
  return out;
}

/** Reads what the API or an author wrote; a step's scope is written into each of its sets. */
export function docOf(raw: unknown): PlanDoc {
  const o = (raw ?? {}) as Record<string, unknown>;
  const head: Record<string, unknown> = {};
  for (const [k, v] of Object.entries(o)) if (k !== "steps") head[k] = texts(v);
  const steps = Array.isArray(o.steps) ? (o.steps as unknown[]) : [];
  return {
    ...(head as unknown as PlanDoc),
    name: texts(o.name) ?? "",
    zone: texts(o.zone) ?? "",
    owner: texts(o.owner) ?? "",
    executor: texts(o.executor) ?? "",
    steps: steps.map((raw) => {
      const s = (raw ?? {}) as Record<string, unknown>;
      const step: Record<string, unknown> = {};
      for (const [k, v] of Object.entries(s)) if (k !== "set" && k !== "scope") step[k] = texts(v);
      const scope = s.scope ? setOf(s.scope) : undefined;
      const set = Array.isArray(s.set) ? (s.set as unknown[]).map((x) => setOf(x, scope)) : undefined;
      return { ...step, name: texts(s.name) ?? "", ...(set ? { set } : {}) };
    }),
  };
}

/** The document in a text, or why it cannot be read, with the line. */
export function fromYAML(text: string): { doc?: PlanDoc; message?: string; line?: number } {
  try {
    const raw: unknown = parse(text);
    if (typeof raw !== "object" || raw === null || Array.isArray(raw)) return { message: "name: …", line: 1 };
    return { doc: docOf(raw) };
  } catch (e) {
    const at = (e as { linePos?: { line: number }[] }).linePos?.[0]?.line;
    return { message: e instanceof Error ? e.message.split("\n")[0] : String(e), line: at ?? 1 };
  }
}

export function blank(who: string, zone: string, now: number): PlanDoc {
  const start = Math.ceil(now / 3_600_000) * 3_600_000;
  return {
    name: "",
    zone,
    owner: who,
    executor: who,
    purpose: "",
    steps: [
      { name: "gears", at: wallOf(start, zone), for: "30m", set: [{ app: "", point: "", level: "" }] },
      { name: "auto-gears", do: "auto", after: "gears", offset: "30m" },
    ],
  };
}

/** The next Double-11 of server/plan/examples/double-11.yaml, whichever year that is. */
export function doubleEleven(now: number): PlanDoc {
  const zone = "Asia/Shanghai";
  const here = wallOf(now, zone);
  const year = Number(here.slice(0, 4)) + (here.slice(5) >= "11-10 23:56:00" ? 1 : 0);
  return {
    name: "double-11",
    zone,
    owner: "peak-commander",
    executor: "on-call",
    purpose: "The midnight peak of 11.11 on the display ads engine",
    steps: [
      {
        name: "midnight-gears",
        at: `${year}-11-10 23:56:00`,
        until: "auto-gears",
        set: [
          { scene: "k2", app: "sn", point: "recall", level: 30 },
          { scene: "k2", app: "sn", point: "rank", level: 40 },
          { scene: "k2", app: "merger", point: "merge", level: 5 },
        ],
      },
      { name: "auto-gears", do: "auto", at: `${year}-11-11 00:03:00` },
      { name: "restore", do: "restore", after: "auto-gears", offset: "2h" },
    ],
  };
}

export interface Difference {
  path: string;
  base: string;
  mine: string;
  theirs: string;
}

function flat(v: unknown, path: string, out: Map<string, string>) {
  if (Array.isArray(v)) v.forEach((x, i) => flat(x, `${path}[${i}]`, out));
  else if (typeof v === "object" && v !== null)
    for (const [k, x] of Object.entries(v)) flat(x, path ? `${path}.${k}` : k, out);
  else if (v !== undefined) out.set(path, `${v as string | number}`);
}

/** The places where three documents are not the same. */
export function differences(base: PlanDoc, mine: PlanDoc, theirs: PlanDoc): Difference[] {
  const maps = [base, mine, theirs].map((d) => {
    const m = new Map<string, string>();
    flat(clean(d), "", m);
    return m;
  }) as [Map<string, string>, Map<string, string>, Map<string, string>];
  const paths = [...new Set(maps.flatMap((m) => [...m.keys()]))];
  return paths
    .map((path) => ({
      path,
      base: maps[0].get(path) ?? "",
      mine: maps[1].get(path) ?? "",
      theirs: maps[2].get(path) ?? "",
    }))
    .filter((d) => d.base !== d.mine || d.base !== d.theirs);
}
