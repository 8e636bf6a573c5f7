/** Every edit of a document, as a pure function; unchanged parts keep their identity. */
import type { Doc, GearDoc, ParamDoc } from "./document";
import { expandColumn, type Cell, type Column } from "./expand";
import { scalar, type Raw } from "./typecheck";

/** What a cell's text means in a column. Text of a textual column is never taken for a number. */
export function rawFromCell(type: string, text: string): Raw | undefined {
  if (text === "") return undefined;
  const textual = type === "string" || type === "enum" || type === "duration";
  return scalar(textual ? text : text.trim(), textual);
}

export interface CellEdit {
  level: number;
  name: string;
  raw: Raw | undefined; // undefined clears: the level is interpolated again
}

export function setCells(doc: Doc, edits: CellEdit[]): Doc {
  const gears = new Map(doc.gears.map((g) => [g.level, g]));
  const touched = new Set<number>();
  for (const e of edits) {
    if (e.level < 1 || e.level > doc.levels.count) continue;
    let gear = gears.get(e.level);
    if (!gear) {
      if (!e.raw) continue;
      gear = { level: e.level, set: {} };
      gears.set(e.level, gear);
      touched.add(e.level);
    } else if (!touched.has(e.level)) {
      gear = { level: e.level, set: { ...gear.set } };
      gears.set(e.level, gear);
      touched.add(e.level);
    }
    if (e.raw) gear.set[e.name] = e.raw;
    else delete gear.set[e.name];
  }
  if (!touched.size) return doc;
  const kept: GearDoc[] = [...gears.values()].filter((g) => g.level === 1 || Object.keys(g.set).length > 0);
  return { ...doc, gears: kept.sort((a, b) => a.level - b.level) };
}

/**
 * Gives the values of one level, as shown, to others. Every other level keeps its
 * value: where it would move, because it lies between anchors, it becomes one too.
 * The same steps as the server's CopyGear.
 */
export function copyGear(doc: Doc, columns: readonly Column[], from: number, to: readonly number[]): Doc {
  let out = doc;
  for (const c of columns) {
    const name = c.doc.name;
    const pin = (level: number, raw: Raw | undefined) => {
      if (raw) out = setCells(out, [{ level, name, raw }]);
    };
    const shown = () => expandColumn(out, c.doc).cells;
    for (const level of to) pin(level, c.cells[from - 1]?.raw);
    const hold = (level: number, now: readonly Cell[]) => {
      if (level < 1 || level > doc.levels.count || to.includes(level)) return false;
      if (now[level - 1]!.text === c.cells[level - 1]!.text) return false;
      pin(level, c.cells[level - 1]!.raw);
      return true;
    };
    let now = shown();
    // Neighbours first: they usually hold all the rest in place.
    for (const level of to) for (const next of [level - 1, level + 1]) if (hold(next, now)) now = shown();
    for (let level = 1; level <= doc.levels.count; level++) if (hold(level, now)) now = shown();
  }
  return out;
}

/**
 * Makes the ends of a range anchors and frees what lies between, which the
 * template then interpolates by each parameter's own rule.
 */
export function interpolateRange(
  doc: Doc,
  from: number,
  to: number,
  names: string[],
  shown: (level: number, name: string) => Raw | undefined,
): Doc {
  const edits: CellEdit[] = [];
  for (const name of names) {
    edits.push({ level: from, name, raw: shown(from, name) }, { level: to, name, raw: shown(to, name) });
    for (let level = from + 1; level < to; level++) edits.push({ level, name, raw: undefined });
  }
  return setCells(doc, edits);
}

export function setParameter(doc: Doc, index: number, change: Partial<ParamDoc>): Doc {
  const old = doc.parameters[index];
  if (!old) return doc;
  const param = { ...old, ...change };
  let parameters = doc.parameters.map((p, i) => (i === index ? param : p));
  // At most one parameter says how much work a level is.
  if (change.cost)
    parameters = parameters.map((p, i) => (i !== index && p.cost ? { ...p, cost: undefined } : p));
  let gears = doc.gears;
  if (change.name !== undefined && change.name !== old.name)
    gears = gears.map((g) => ({
      ...g,
      set: Object.fromEntries(Object.entries(g.set).map(([k, v]) => [k === old.name ? change.name! : k, v])),
    }));
  if (change.type !== undefined && change.type !== old.type)
    // The same texts, read as the new type.
    gears = gears.map((g) => {
      const raw = g.set[param.name];
      const again = raw && rawFromCell(param.type, raw.text);
      return again ? { ...g, set: { ...g.set, [param.name]: again } } : g;
    });
  return { ...doc, parameters, gears };
}

export function addParameter(doc: Doc): Doc {
  let n = doc.parameters.length + 1;
  while (doc.parameters.some((p) => p.name === `parameter_${n}`)) n++;
  const name = `parameter_${n}`;
  const withParam: Doc = {
    ...doc,
    parameters: [...doc.parameters, { name, type: "int", interpolate: "linear" }],
  };
  return setCells(withParam, [{ level: 1, name, raw: scalar("0") }]);
}

export function removeParameter(doc: Doc, index: number): Doc {
  const name = doc.parameters[index]?.name;
  if (name === undefined) return doc;
  const gears = doc.gears
    .map((g) => ({ ...g, set: Object.fromEntries(Object.entries(g.set).filter(([k]) => k !== name)) }))
    .filter((g) => g.level === 1 || Object.keys(g.set).length > 0);
  return { ...doc, parameters: doc.parameters.filter((_, i) => i !== index), gears };
}

export function moveParameter(doc: Doc, index: number, by: number): Doc {
  const to = index + by;
  if (to < 0 || to >= doc.parameters.length) return doc;
  const parameters = [...doc.parameters];
  const [moved] = parameters.splice(index, 1);
  parameters.splice(to, 0, moved!);
  return { ...doc, parameters };
}

/** Changes how many gears there are; anchors above the new top are dropped, bounds follow. */
export function setLevelCount(doc: Doc, count: number): Doc {
  const was = doc.levels.count;
  const follow = (v: number | undefined) =>
    v === undefined ? undefined : v === was ? count : Math.min(v, count);
  return {
    ...doc,
    levels: {
      count,
      default: follow(doc.levels.default),
      min: doc.levels.min && Math.min(doc.levels.min, count),
      max: follow(doc.levels.max),
    },
    gears: doc.gears.filter((g) => g.level <= count),
  };
}

/** "4-6, 9" as levels; undefined when it says something else. */
export function parseLevels(text: string, count: number): number[] | undefined {
  const out = new Set<number>();
  for (const part of text.split(/[,，\s]+/).filter(Boolean)) {
    const m = /^(\d+)(?:[-–](\d+))?$/.exec(part);
    if (!m) return undefined;
    const from = Number(m[1]);
    const to = Number(m[2] ?? m[1]);
    if (from < 1 || to > count || from > to) return undefined;
    for (let l = from; l <= to; l++) out.add(l);
  }
  return out.size ? [...out].sort((a, b) => a - b) : undefined;
}
