/**
 * Fills the levels between anchors, twin of server/template's expansion, so that
 * the grid shows every level while it is typed. The server's table stays the
 * authority: it is what is published.
 */
import type { Doc, ParamDoc } from "./document";
import { declare } from "./declaration";
import { format, numeric, parse, parseValue, type Param, type Raw, type Value } from "./typecheck";

/** One cell of the grid. */
export interface Cell {
  text: string;
  raw: Raw | undefined;
  textual?: boolean; // reads from the left
  anchor: boolean; // written by the author, not interpolated
  problem?: string;
  warning?: boolean; // moves against the parameter's monotonic hint
}

export interface Column {
  param: Param;
  doc: ParamDoc;
  cells: Cell[]; // cells[level-1]
  numbers: (number | null)[]; // for the sparkline
}

export function number(v: Value | undefined): number | null {
  if (!v) return null;
  if (v.kind === "float") return v.num;
  return "big" in v ? Number(v.big) : null;
}

/** The value at share f of the way between two anchors, 0 < f < 1, as server/template's between gives it. */
export function between(p: Param, rule: string, low: Value, high: Value, f: number): Value {
  const x = number(low);
  const y = number(high);
  if (rule === "step" || !numeric(p.kind) || low.kind !== high.kind || x === null || y === null || x === y)
    return low;
  if (rule === "geometric") {
    // Go on with the share of the distance that equal ratios have come.
    f = Math.expm1(f * Math.log(y / x)) / (y / x - 1);
    f = Number.isNaN(f) ? 0 : Math.min(Math.max(f, 0), 1);
  }
  if (low.kind === "float") {
    const step = p.step?.kind === "float" ? p.step.num : 0;
    const v = step > 0 ? x + roundAway((y / step - x / step) * f) * step : x * (1 - f) + y * f;
    return { kind: "float", num: Math.min(Math.max(v, Math.min(x, y)), Math.max(x, y)) };
  }
  if (!("big" in low) || !("big" in high)) return low;
  const step = p.step && "big" in p.step && p.step.big > 0n ? p.step.big : 1n;
  const falling = high.big < low.big;
  const steps = (falling ? low.big - high.big : high.big - low.big) / step;
  const want = Math.round(Number(steps) * f);
  const k = want < Number(steps) ? BigInt(want) : steps;
  const big = falling ? low.big - k * step : low.big + k * step;
  return low.kind === "int" ? { kind: "int", big } : { kind: "duration", big };
}

// Go rounds halves away from zero, JavaScript towards +Infinity.
const roundAway = (v: number) => (v < 0 ? -Math.round(-v) : Math.round(v));

function rawOfValue(v: Value): Raw {
  const token = v.kind === "bool" ? "bool" : v.kind === "int" || v.kind === "float" ? "number" : "string";
  return { token, text: format(v) };
}

export function expandColumn(doc: Doc, p: ParamDoc): Column {
  const { param, problems } = declare(p);
  const sound = problems.length === 0;
  const count = doc.levels.count;
  const cells: Cell[] = new Array<Cell>(count);
  const values: (Value | undefined)[] = new Array<Value | undefined>(count);
  const anchors: { level: number; value: Value }[] = [];

  for (const g of doc.gears) {
    const raw = Object.hasOwn(g.set, p.name) ? g.set[p.name] : undefined;
    if (!raw || g.level < 1 || g.level > count) continue;
    const read = sound ? parse(param, raw) : { value: parseValue(param.kind, raw).value, problem: undefined };
    cells[g.level - 1] = {
      text: raw.text,
      raw,
      anchor: true,
      problem: read.problem && `${read.problem.message} at level ${g.level}`,
    };
    values[g.level - 1] = read.value;
    if (read.value) anchors.push({ level: g.level, value: read.value });
  }
  anchors.sort((a, b) => a.level - b.level);

  const rule = p.interpolate ?? (numeric(p.type) ? "linear" : "step");
  let i = -1;
  for (let l = 1; l <= count; l++) {
    while (i + 1 < anchors.length && anchors[i + 1]!.level <= l) i++;
    if (cells[l - 1]) continue;
    const low = anchors[i];
    const high = anchors[i + 1];
    const v =
      low &&
      (high
        ? between(param, rule, low.value, high.value, (l - low.level) / (high.level - low.level))
        : low.value);
    values[l - 1] = v;
    const raw = v && rawOfValue(v);
    cells[l - 1] = { text: raw?.text ?? "", raw, anchor: false };
  }

  if (!numeric(p.type)) for (const c of cells) c.textual = true;
  const numbers = values.map((v) => number(v));
  const up = p.monotonic === "up";
  if (up || p.monotonic === "down")
    for (let l = 1; l < count; l++) {
      const a = numbers[l - 1];
      const b = numbers[l];
      if (a != null && b != null && (up ? b < a : b > a)) cells[l] = { ...cells[l]!, warning: true };
    }
  return { param, doc: p, cells, numbers };
}

export function expand(doc: Doc): Column[] {
  return doc.parameters.map((p) => expandColumn(doc, p));
}
