/** The checks of server/template's Check: head, strategy, levels, parameters, gears. */
import type { Place } from "../../api/problem";
import { declare } from "./declaration";
import type { Doc } from "./document";
import { settingsOf, strategies } from "./strategies";
import {
  check,
  format,
  formatDuration,
  numeric,
  paramText,
  quoted,
  shown,
  type Param,
  type Value,
} from "./typecheck";

/** The typed content of a document, as far as it could be read. */
export interface Content {
  settings: Record<string, Value>;
  params: { param: Param; interpolate: string; cost: boolean }[];
  sets: { level: number; set: Record<string, Value> }[];
  levels: { count: number; min: number; max: number; start: number };
}

const bytes = (s: string) => new TextEncoder().encode(s).length;
const byName = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

export function validate(doc: Doc, c: Content): Place[] {
  const out: Place[] = [];
  const bad = (path: string, code: string, message: string) => void out.push({ path, code, message });
  head(doc, bad);
  strategy(doc, c, bad);
  levels(c, bad);
  if (parameters(c, bad)) gears(c, bad);
  return out;
}

type Bad = (path: string, code: string, message: string) => void;

function head(d: Doc, bad: Bad) {
  if (!d.name) bad("name", "required", "a template needs a name");
  else if (!/^[a-z0-9][a-z0-9._-]{0,62}$/.test(d.name))
    bad(
      "name",
      "name",
      `${quoted(d.name)} is not a template name: a small letter or digit, then also . _ or -, at most 63`,
    );
  const n = bytes(d.description);
  if (n > 2000) bad("description", "length", `a description has at most 2000 bytes, got ${n}`);
  if (d.tags.length > 32) bad("tags", "length", `a template has at most 32 tags, got ${d.tags.length}`);
  const tag: Param = { name: "tag", kind: "string", unit: "", values: [] };
  d.tags.forEach((t, i) => {
    if (check(tag, { kind: "string", str: t }) || t === "" || bytes(t) > 63)
      bad(`tags[${i}]`, "text", `${quoted(t)} is not a tag: a plain text of 1 to 63 bytes`);
    else if (d.tags.slice(0, i).includes(t)) bad(`tags[${i}]`, "duplicate", `${quoted(t)} is given twice`);
  });
}

function strategy(d: Doc, c: Content, bad: Bad) {
  const kind = d.strategy.kind;
  if (!(strategies as readonly string[]).includes(kind)) {
    const got = kind === "" ? "nothing" : quoted(kind);
    bad(
      "strategy.kind",
      kind === "" ? "required" : "unknown",
      `a strategy wants fixed, central, crowd_rt or external_timeout, got ${got}`,
    );
    return;
  }
  let sound = true;
  const filled: Record<string, Value | undefined> = {};
  for (const decl of settingsOf(kind)) {
    const p = declare(decl).param;
    const v = c.settings[p.name];
    filled[p.name] = v ?? p.default;
    if (!v && p.default) continue;
    const x = check(p, v);
    if (x) {
      sound = false;
      bad(`strategy.settings.${x.path}`, x.code, x.message);
    }
  }
  if (sound && kind === "external_timeout") {
    const ns = (name: string) => {
      const v = filled[name];
      return v && "big" in v ? v.big : 0n;
    };
    const [lo, t, hi] = [ns("min_timeout"), ns("timeout"), ns("max_timeout")];
    if (lo > t || t > hi)
      bad(
        "strategy.settings.timeout",
        "range",
        `timeout wants min_timeout <= timeout <= max_timeout, got ${[lo, t, hi].map(formatDuration).join(" <= ")}`,
      );
  }
}

function levels(c: Content, bad: Bad) {
  const { count, min, max, start } = c.levels;
  if (count === 0) return bad("levels.count", "required", "levels.count wants int 1..100, got nothing");
  if (count < 1 || count > 100)
    return bad("levels.count", "range", `levels.count wants int 1..100, got ${count}`);
  for (const [path, level] of [
    ["levels.min", min],
    ["levels.max", max],
  ] as const)
    if (level < 1 || level > count) return bad(path, "range", `${path} wants int 1..${count}, got ${level}`);
  if (min > max) bad("levels.max", "range", `levels.max is ${max}, below levels.min ${min}`);
  else if (start < min || start > max)
    bad("levels.default", "range", `levels.default wants int ${min}..${max}, got ${start}`);
}

function parameters(c: Content, bad: Bad): boolean {
  let sound = true;
  const fail: Bad = (...a) => {
    sound = false;
    bad(...a);
  };
  const seen = new Set<string>();
  let cost = "";
  c.params.forEach(({ param: p, interpolate, cost: isCost }, i) => {
    const at = `parameters[${i}]`;
    const name = quoted(p.name);
    if (seen.has(p.name)) fail(`${at}.name`, "duplicate", `${name} is declared twice`);
    seen.add(p.name);
    if (interpolate === "linear" || interpolate === "geometric") {
      if (!numeric(p.kind)) fail(`${at}.interpolate`, "type", `${name} is ${p.kind} and can only step`);
    } else if (interpolate !== "step")
      fail(
        `${at}.interpolate`,
        "enum",
        `interpolate of ${name} wants linear, geometric or step, got ${quoted(interpolate)}`,
      );
    if (!isCost) return;
    if (!numeric(p.kind))
      fail(`${at}.cost`, "type", `${name} is ${p.kind} and cannot say what a level costs`);
    else if (cost)
      fail(`${at}.cost`, "duplicate", `only one parameter says what a level costs; ${cost} does already`);
    cost = shown(p.name);
  });
  return sound;
}

function gears(c: Content, bad: Bad) {
  // A count out of range was told already, once.
  const count = c.levels.count >= 1 && c.levels.count <= 100 ? c.levels.count : 100;
  if (!c.sets.length) {
    if (c.params.length) bad("gears", "required", "a template with parameters needs the gear of level 1");
    return;
  }
  const seen = new Map<number, number>();
  c.sets.forEach((a, i) => {
    const at = `gears[${i}].level`;
    const first = seen.get(a.level);
    if (a.level < 1 || a.level > count)
      bad(at, "range", `a gear's level wants int 1..${count}, got ${a.level}`);
    else if (first !== undefined)
      bad(at, "duplicate", `level ${a.level} is given twice, first as gears[${first}]`);
    else if (i > 0 && a.level < c.sets[i - 1]!.level)
      bad(at, "order", `gears stand by rising level; ${a.level} follows ${c.sets[i - 1]!.level}`);
    else if (i === 0 && a.level !== 1) bad(at, "gap", `the first gear must be level 1, got ${a.level}`);
    if (first === undefined) seen.set(a.level, i);
    set(c, i, bad);
  });
}

function set(c: Content, i: number, bad: Bad) {
  const a = c.sets[i]!;
  const at = `gears[${i}].set`;
  for (const { param: p, interpolate, cost } of c.params) {
    const v = a.set[p.name];
    if (!v) {
      if (i === 0)
        bad(
          `${at}.${p.name}`,
          "required",
          `${p.name} wants ${paramText(p)}, got nothing at level ${a.level}`,
        );
      continue;
    }
    const x = check(p, v);
    if (x) {
      bad(`${at}.${x.path}`, x.code, `${x.message} at level ${a.level}`);
      continue;
    }
    const n = v.kind === "float" ? v.num : "big" in v ? Number(v.big) : 0;
    if (interpolate === "geometric" && n <= 0)
      bad(
        `${at}.${p.name}`,
        "range",
        `${p.name} is geometric and must be above 0, got ${format(v)} at level ${a.level}`,
      );
    else if (cost && n <= 0)
      bad(
        `${at}.${p.name}`,
        "range",
        `${p.name} says what a level costs and must be above 0, got ${format(v)} at level ${a.level}`,
      );
  }
  const known = new Set(c.params.map((p) => p.param.name));
  for (const name of Object.keys(a.set).sort(byName))
    if (!known.has(name))
      bad(`${at}.${shown(name)}`, "unknown", `${quoted(name)} is not a parameter of this template`);
}
