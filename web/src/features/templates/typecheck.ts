/**
 * The type check of gear values, twin of proto/gear (raw.go, check.go, name.go):
 * the same path, code and message for the same text. Both sides run
 * proto/gear/testdata/typecheck.json; change neither alone.
 */
import type { Place } from "../../api/problem";

export type Kind = "int" | "float" | "bool" | "string" | "enum" | "duration";
export const kinds: readonly Kind[] = ["int", "float", "bool", "string", "enum", "duration"];
export const numeric = (k: string | undefined) => k === "int" || k === "float" || k === "duration";

export type Token = "null" | "number" | "bool" | "string" | "list" | "map";

/** A value as written: numbers keep their text, so that 3.0 stays apart from 3. */
export interface Raw {
  token: Token;
  text: string;
}

/** A typed value. Ints and durations (ns) are exact. */
export type Value =
  | { kind: "int" | "duration"; big: bigint }
  | { kind: "float"; num: number }
  | { kind: "bool"; on: boolean }
  | { kind: "string" | "enum"; str: string };

export interface Param {
  name: string;
  kind: Kind;
  unit: string;
  min?: Value;
  max?: Value;
  step?: Value;
  values: string[];
  default?: Value;
}

const maxText = 1024;
const maxInt = (1n << 63n) - 1n;
const minInt = -(1n << 63n);
const bytes = (s: string) => new TextEncoder().encode(s).length;

const numberPattern = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;
const notFinite = (s: string) => [".nan", ".inf", "+.inf", "-.inf"].includes(s.toLowerCase());

/** Classifies a scalar of a document, the same for YAML, JSON and a grid's cell. */
export function scalar(text: string, quotedText = false): Raw {
  if (quotedText) return { token: "string", text };
  if (text === "" || text === "~" || text === "null") return { token: "null", text };
  if (text === "true" || text === "false") return { token: "bool", text };
  if (numberPattern.test(text) || notFinite(text)) return { token: "number", text };
  return { token: "string", text };
}

// Controls, separators and direction overrides could change how a line is read.
function inert(code: number): boolean {
  return (
    code < 0x20 ||
    (code >= 0x7f && code <= 0x9f) ||
    code === 0x2028 ||
    code === 0x2029 ||
    (code >= 0x202a && code <= 0x202e) ||
    (code >= 0x2066 && code <= 0x2069) ||
    code === 0xfeff ||
    (code >= 0xd800 && code <= 0xdfff)
  );
}

export function shown(s: string): string {
  let out = "";
  let n = 0;
  for (const ch of s) {
    if (n++ === 40) return out + "…";
    out += inert(ch.codePointAt(0)!) ? "\ufffd" : ch;
  }
  return out;
}

export const quoted = (s: string) => `"${shown(s)}"`;

function plainText(s: string): boolean {
  for (const ch of s) {
    const c = ch.codePointAt(0)!;
    if (c < 0x20 || (c >= 0x7f && c <= 0x9f) || (c >= 0xd800 && c <= 0xdfff)) return false;
  }
  return true;
}

/** Writes a float; Go's formatFloat imitates Number.toString but for the names of what is not finite. */
export function formatFloat(f: number): string {
  if (Number.isNaN(f)) return "NaN";
  if (!Number.isFinite(f)) return f > 0 ? "Inf" : "-Inf";
  return String(f);
}

/** Writes a duration as Go does, without empty tails: 8ms, 1m30s, 1.5µs. */
export function formatDuration(ns: bigint): string {
  if (ns === 0n) return "0s";
  const sign = ns < 0n ? "-" : "";
  const u = ns < 0n ? -ns : ns;
  const fraction = (value: bigint, digits: number) => {
    const whole = value / 10n ** BigInt(digits);
    const rest = String(value % 10n ** BigInt(digits))
      .padStart(digits, "0")
      .replace(/0+$/, "");
    return rest ? `${whole}.${rest}` : String(whole);
  };
  if (u < 1000n) return `${sign}${u}ns`;
  if (u < 1_000_000n) return `${sign}${fraction(u, 3)}µs`;
  if (u < 1_000_000_000n) return `${sign}${fraction(u, 6)}ms`;
  const minutes = u / 60_000_000_000n;
  const seconds = `${fraction(u % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return sign + seconds;
  const hours = minutes / 60n;
  const long = hours ? `${hours}h${minutes % 60n}m${seconds}` : `${minutes}m${seconds}`;
  // Without empty tails: 1m, not 1m0s; 2h, not 2h0m.
  return sign + long.replace(/m0s$/, "m").replace(/h0m$/, "h");
}

const units: [string, bigint][] = [
  ["ns", 1n],
  ["us", 1000n],
  ["µs", 1000n],
  ["μs", 1000n],
  ["ms", 1_000_000n],
  ["s", 1_000_000_000n],
  ["m", 60_000_000_000n],
  ["h", 3_600_000_000_000n],
];

/** Reads a duration to the nanosecond; undefined when it is none. */
export function parseDuration(s: string): bigint | undefined {
  const negative = s.startsWith("-");
  let rest = negative ? s.slice(1) : s;
  if (rest === "" || bytes(rest) > 64) return undefined;
  let total = 0n;
  while (rest !== "") {
    const m = /^([0-9]+)(?:\.([0-9]+))?(ns|us|µs|μs|ms|s|m|h)/.exec(rest);
    if (!m) return undefined;
    const unit = units.find(([n]) => n === m[3])![1];
    const digits = (m[2] ?? "").replace(/0+$/, "");
    const scale = 10n ** BigInt(digits.length);
    const part = BigInt(digits || "0") * unit;
    if (part % scale !== 0n) return undefined;
    total += BigInt(m[1]!) * unit + part / scale;
    if (total > maxInt) return undefined;
    rest = rest.slice(m[0].length);
  }
  return negative ? -total : total;
}

export function format(v: Value | undefined): string {
  if (!v) return "nothing";
  switch (v.kind) {
    case "int":
      return String(v.big);
    case "duration":
      return formatDuration(v.big);
    case "float":
      return formatFloat(v.num);
    case "bool":
      return String(v.on);
    default:
      return v.str;
  }
}

const got = (v: Value) => (v.kind === "string" || v.kind === "enum" ? quoted(v.str) : format(v));

export function rawGot(r: Raw): string {
  switch (r.token) {
    case "null":
      return "nothing";
    case "string":
      return quoted(r.text);
    case "list":
      return "a list";
    case "map":
      return "a map";
    default:
      return shown(r.text);
  }
}

/** What the parameter wants: "int 10..200", "enum small|large". */
export function paramText(p: Param): string {
  let out: string = p.kind;
  if (p.kind === "enum") {
    out += " " + p.values.slice(0, 12).map(shown).join("|");
    if (p.values.length > 12) out += "|…";
  }
  if (numeric(p.kind)) {
    if (p.min || p.max) out += ` ${p.min ? format(p.min) : ""}..${p.max ? format(p.max) : ""}`;
    if (p.step) out += ` step ${format(p.step)}`;
  }
  return out;
}

function wants(p: Param, code: string, what: string): Place {
  return { path: p.name, code, message: `${shown(p.name)} wants ${paramText(p)}, got ${what}` };
}

export type Parsed = { value: Value; code?: undefined } | { value?: undefined; code: string };

/** Reads a raw value as a kind, without any declaration. */
export function parseValue(kind: string, r: Raw): Parsed {
  if (r.token === "null") return { code: "required" };
  switch (kind) {
    case "int": {
      if (r.token !== "number" || !/^-?(0|[1-9][0-9]*)$/.test(r.text)) return { code: "type" };
      const big = BigInt(r.text);
      return big > maxInt || big < minInt ? { code: "range" } : { value: { kind, big } };
    }
    case "float": {
      if (r.token !== "number") return { code: "type" };
      const num = notFinite(r.text) ? NaN : Number(r.text);
      return Number.isFinite(num) ? { value: { kind, num } } : { code: "finite" };
    }
    case "bool":
      return r.token === "bool" ? { value: { kind, on: r.text === "true" } } : { code: "type" };
    case "string":
    case "enum":
      return r.token === "string" ? { value: { kind, str: r.text } } : { code: "type" };
    case "duration": {
      const big = r.token === "string" ? parseDuration(r.text) : undefined;
      return big === undefined ? { code: "type" } : { value: { kind, big } };
    }
    default:
      return { code: "type" };
  }
}

function less(a: Value, b: Value): boolean {
  if (a.kind === "float" && b.kind === "float") return a.num < b.num;
  if ("big" in a && "big" in b) return a.big < b.big;
  return false;
}

function onStep(v: Value, from: Value | undefined, step: Value): boolean {
  if (v.kind === "float" && step.kind === "float") {
    const q = (v.num - (from?.kind === "float" ? from.num : 0)) / step.num;
    const nearest = q < 0 ? -Math.round(-q) : Math.round(q); // Go rounds halves away from zero
    return Math.abs(q - nearest) <= 1e-9 * Math.max(1, Math.abs(q));
  }
  if (!("big" in v) || !("big" in step) || step.big <= 0n) return true;
  const base = from && "big" in from && from.kind === v.kind ? from.big : 0n;
  return (v.big - base) % step.big === 0n;
}

/** Whether a typed value fits; undefined when it does. */
export function check(p: Param, v: Value | undefined): Place | undefined {
  if (!v) return wants(p, "required", "nothing");
  if (v.kind !== p.kind) return wants(p, "type", `${v.kind} ${got(v)}`);
  if (v.kind === "enum" && !p.values.includes(v.str)) return wants(p, "enum", got(v));
  if (v.kind === "string") {
    const n = bytes(v.str);
    if (n > maxText) return wants(p, "length", `${n} bytes of at most ${maxText}`);
    if (!plainText(v.str)) return wants(p, "text", "control characters");
  }
  if (v.kind === "float" && !Number.isFinite(v.num)) return wants(p, "finite", got(v));
  if (numeric(p.kind)) {
    if ((p.min?.kind === v.kind && less(v, p.min)) || (p.max?.kind === v.kind && less(p.max, v)))
      return wants(p, "range", got(v));
    if (p.step?.kind === v.kind && !onStep(v, p.min, p.step)) return wants(p, "step", got(v));
  }
  return undefined;
}

/** Reads a raw value as the parameter's kind and checks it. */
export function parse(p: Param, r: Raw): { value?: Value; problem?: Place } {
  const read = parseValue(p.kind, r);
  if (!read.value) return { problem: wants(p, read.code, rawGot(r)) };
  const problem = check(p, read.value);
  return { value: read.value, problem };
}

export const paramName = (s: string) => /^[a-z][a-z0-9_]{0,62}$/.test(s);
export const placeName = (s: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/.test(s);

/** Whether the declaration itself makes sense; paths are its fields. */
export function checkDecl(p: Param): Place[] {
  const out: Place[] = [];
  const add = (path: string, code: string, message: string) => out.push({ path, code, message });
  const name = quoted(p.name);
  if (!paramName(p.name))
    add(
      "name",
      "name",
      `${name} is not a parameter name: a small letter, then small letters, digits or _, at most 63`,
    );
  if (!kinds.includes(p.kind)) {
    add("type", "type", `${name} needs a type: int, float, bool, string, enum or duration`);
    return out;
  }
  if (bytes(p.unit) > 32 || !plainText(p.unit))
    add("unit", "text", `the unit of ${name} is not a plain text of at most 32 bytes`);
  checkBounds(p, name, add);
  checkValues(p, name, add);
  if (out.length === 0 && p.default) {
    const x = check(p, p.default);
    if (x) add("default", x.code, `${x.message} as default`);
  }
  return out;
}

type Add = (path: string, code: string, message: string) => void;

function checkBounds(p: Param, name: string, add: Add) {
  let sound = true;
  for (const path of ["min", "max", "step"] as const) {
    const v = p[path];
    if (!v) continue;
    if (!numeric(p.kind)) add(path, "type", `${name} is ${p.kind} and has no ${path}`);
    else if (v.kind !== p.kind)
      add(path, "type", `the ${path} of ${name} must be ${p.kind}, got ${v.kind} ${got(v)}`);
    else if (v.kind === "float" && !Number.isFinite(v.num))
      add(path, "finite", `the ${path} of ${name} must be finite, got ${got(v)}`);
    else if (path === "step" && !(v.kind === "float" ? v.num > 0 : "big" in v && v.big > 0n))
      add(path, "range", `the step of ${name} must be above 0, got ${got(v)}`);
    else continue;
    sound = false;
  }
  if (sound && p.min && p.max && less(p.max, p.min))
    add("max", "range", `the max of ${name} is ${format(p.max)}, below its min ${format(p.min)}`);
}

function checkValues(p: Param, name: string, add: Add) {
  if (p.kind !== "enum") {
    if (p.values.length) add("values", "type", `${name} is ${p.kind} and has no values`);
    return;
  }
  if (!p.values.length) add("values", "required", `${name} is enum and needs values`);
  if (p.values.length > 64) {
    add("values", "length", `${name} has ${p.values.length} values; at most 64`);
    return;
  }
  const seen = new Set<string>();
  p.values.forEach((v, i) => {
    if (v === "" || bytes(v) > 63 || !plainText(v))
      add(`values[${i}]`, "text", `${quoted(v)} is not a value: a plain text of 1 to 63 bytes`);
    else if (seen.has(v)) add(`values[${i}]`, "duplicate", `${quoted(v)} is listed twice`);
    seen.add(v);
  });
}
