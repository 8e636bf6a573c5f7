import type { Doc } from "./document";
import type { Raw } from "./typecheck";

/** A document before its meaning is known, as server/template's node: scalars as they were written. */
export interface Node {
  raw: Raw;
  keys: string[];
  kids: Node[];
  line: number; // from 1; 0 when it stands in no text
  column: number;
}

export function node(raw: Raw, line = 0, column = 0): Node {
  return { raw, keys: [], kids: [], line, column };
}

const map = (entries: [string, Node | undefined][]): Node => {
  const kept = entries.filter((e): e is [string, Node] => e[1] !== undefined);
  return { ...node({ token: "map", text: "" }), keys: kept.map((e) => e[0]), kids: kept.map((e) => e[1]) };
};
const list = (kids: Node[]): Node => ({ ...node({ token: "list", text: "" }), kids });
const text = (s: string | undefined) => (s ? node({ token: "string", text: s }) : undefined);
const int = (n: number | undefined) =>
  n === undefined ? undefined : node({ token: "number", text: String(n) });
const raws = (set: Record<string, Raw>) => map(Object.entries(set).map(([k, r]) => [k, node(r)]));

/** The tree of a document edited in the form, so that form and text pass the same check. */
export function treeOf(d: Doc): Node {
  return map([
    ["name", text(d.name)],
    ["description", text(d.description)],
    ["tags", list(d.tags.map((t) => node({ token: "string", text: t })))],
    [
      "strategy",
      map([
        ["kind", text(d.strategy.kind)],
        ["settings", raws(d.strategy.settings)],
      ]),
    ],
    [
      "levels",
      map([
        ["count", int(d.levels.count)],
        ["default", int(d.levels.default)],
        ["min", int(d.levels.min)],
        ["max", int(d.levels.max)],
      ]),
    ],
    [
      "parameters",
      list(
        d.parameters.map((p) =>
          map([
            ["name", text(p.name)],
            ["type", text(p.type)],
            ["unit", text(p.unit)],
            ["min", p.min && node(p.min)],
            ["max", p.max && node(p.max)],
            ["step", p.step && node(p.step)],
            [
              "values",
              p.values?.length ? list(p.values.map((v) => node({ token: "string", text: v }))) : undefined,
            ],
            ["default", p.default && node(p.default)],
            ["monotonic", text(p.monotonic)],
            ["interpolate", text(p.interpolate)],
            ["cost", p.cost ? node({ token: "bool", text: "true" }) : undefined],
          ]),
        ),
      ),
    ],
    [
      "gears",
      list(
        d.gears.map((g) =>
          map([
            ["level", int(g.level)],
            ["set", raws(g.set)],
          ]),
        ),
      ),
    ],
  ]);
}
