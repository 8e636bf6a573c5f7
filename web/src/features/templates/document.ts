import type { TemplateDocument } from "../../api/types";
import type { RawDecl } from "./declaration";
import { scalar, type Raw } from "./typecheck";

export interface ParamDoc extends RawDecl {
  interpolate?: string;
  cost?: boolean;
}

export interface GearDoc {
  level: number;
  set: Record<string, Raw>;
}

/** A template as its author writes it, every value still as it was written. */
export interface Doc {
  name: string;
  description: string;
  tags: string[];
  strategy: { kind: string; settings: Record<string, Raw> };
  levels: { count: number; default?: number; min?: number; max?: number };
  parameters: ParamDoc[];
  gears: GearDoc[];
}

/** A JSON value as the raw value a document would hold. */
export function rawOf(v: unknown): Raw {
  if (v === null || v === undefined) return { token: "null", text: "" };
  if (typeof v === "string") return { token: "string", text: v };
  if (typeof v === "boolean") return { token: "bool", text: String(v) };
  if (typeof v === "number") return { token: "number", text: String(v) };
  return { token: Array.isArray(v) ? "list" : "map", text: "" };
}

function rawsOf(set: Record<string, unknown> | null | undefined): Record<string, Raw> {
  return Object.fromEntries(Object.entries(set ?? {}).map(([k, v]) => [k, rawOf(v)]));
}

export function fromWire(d: TemplateDocument): Doc {
  const bound = (v: unknown) => (v === null || v === undefined ? undefined : rawOf(v));
  return {
    name: d.name,
    description: d.description ?? "",
    tags: d.tags ?? [],
    strategy: { kind: d.strategy.kind, settings: rawsOf(d.strategy.settings) },
    levels: {
      count: d.levels.count,
      default: d.levels.default || undefined,
      min: d.levels.min || undefined,
      max: d.levels.max || undefined,
    },
    parameters: (d.parameters ?? []).map((p) => ({
      name: p.name,
      type: p.type,
      unit: p.unit || undefined,
      min: bound(p.min),
      max: bound(p.max),
      step: bound(p.step),
      values: p.values ?? undefined,
      default: bound(p.default),
      monotonic: p.monotonic || undefined,
      interpolate: p.interpolate || undefined,
      cost: p.cost || undefined,
    })),
    gears: (d.gears ?? []).map((g) => ({ level: g.level, set: rawsOf(g.set as Record<string, unknown>) })),
  };
}

const jsonNumber = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$/;

function jsonRaw(r: Raw): string {
  switch (r.token) {
    case "null":
      return "null";
    case "bool":
      return r.text;
    case "number":
      return jsonNumber.test(r.text) ? r.text : JSON.stringify(r.text);
    case "list":
      return "[]";
    case "map":
      return "{}";
    default:
      return JSON.stringify(r.text);
  }
}

function jsonObject(fields: [string, string | undefined][]): string {
  return `{${fields
    .filter((f) => f[1] !== undefined)
    .map(([k, v]) => `${JSON.stringify(k)}:${v}`)
    .join(",")}}`;
}

const jsonSet = (set: Record<string, Raw>) =>
  jsonObject(Object.entries(set).map(([k, r]) => [k, jsonRaw(r)]));
const opt = (v: unknown) => (v === undefined || v === "" ? undefined : JSON.stringify(v));

/** Writes the request body. Numbers keep their text, so that the server checks what the author wrote. */
export function toJSON(d: Doc): string {
  return jsonObject([
    ["name", JSON.stringify(d.name)],
    ["description", opt(d.description)],
    ["tags", d.tags.length ? JSON.stringify(d.tags) : undefined],
    [
      "strategy",
      jsonObject([
        ["kind", JSON.stringify(d.strategy.kind)],
        ["settings", Object.keys(d.strategy.settings).length ? jsonSet(d.strategy.settings) : undefined],
      ]),
    ],
    ["levels", JSON.stringify(d.levels)],
    [
      "parameters",
      `[${d.parameters
        .map((p) =>
          jsonObject([
            ["name", JSON.stringify(p.name)],
            ["type", JSON.stringify(p.type)],
            ["unit", opt(p.unit)],
            ["min", p.min && jsonRaw(p.min)],
            ["max", p.max && jsonRaw(p.max)],
            ["step", p.step && jsonRaw(p.step)],
            ["values", p.values?.length ? JSON.stringify(p.values) : undefined],
            ["default", p.default && jsonRaw(p.default)],
            ["monotonic", opt(p.monotonic)],
            ["interpolate", opt(p.interpolate)],
            ["cost", p.cost ? "true" : undefined],
          ]),
        )
        .join(",")}]`,
    ],
    [
      "gears",
      `[${d.gears
        .map((g) =>
          jsonObject([
            ["level", String(g.level)],
            ["set", jsonSet(g.set)],
          ]),
        )
        .join(",")}]`,
    ],
  ]);
}

// Plain where every YAML parser agrees it is a string; quoted otherwise.
function yamlText(s: string): string {
  const plain =
    /^[A-Za-z0-9_./\u4e00-\u9fff][\w ./%µ\u4e00-\u9fff-]*$/.test(s) &&
    !s.endsWith(" ") &&
    scalar(s).token === "string" &&
    !/^(yes|no|on|off|y|n|true|false|null)$/i.test(s) &&
    !/^[0-9.]+$|^0[xob]|^[0-9][0-9_]*$|^\d{4}-\d\d/i.test(s);
  return plain ? s : JSON.stringify(s);
}

const yamlRaw = (r: Raw) =>
  r.token === "string"
    ? yamlText(r.text)
    : r.token === "list"
      ? "[]"
      : r.token === "map"
        ? "{}"
        : r.text || "null";

const yamlMap = (fields: [string, string | undefined][]) =>
  `{${fields
    .filter((f) => f[1] !== undefined)
    .map(([k, v]) => `${yamlText(k)}: ${v}`)
    .join(", ")}}`;

/** Writes the document as people read it: a line a parameter, a line a gear. */
export function toYAML(d: Doc): string {
  const lines = [`name: ${yamlText(d.name)}`];
  if (d.description) lines.push(`description: ${yamlText(d.description)}`);
  if (d.tags.length) lines.push(`tags: [${d.tags.map(yamlText).join(", ")}]`);
  lines.push("strategy:", `  kind: ${yamlText(d.strategy.kind)}`);
  const settings = Object.entries(d.strategy.settings);
  if (settings.length)
    lines.push("  settings:", ...settings.map(([k, r]) => `    ${yamlText(k)}: ${yamlRaw(r)}`));
  const num = (n: number | undefined) => (n === undefined ? undefined : String(n));
  lines.push(
    `levels: ${yamlMap([
      ["count", num(d.levels.count)],
      ["default", num(d.levels.default)],
      ["min", num(d.levels.min)],
      ["max", num(d.levels.max)],
    ])}`,
  );
  lines.push(d.parameters.length ? "parameters:" : "parameters: []");
  for (const p of d.parameters) {
    lines.push(
      `  - ${yamlMap([
        ["name", yamlText(p.name)],
        ["type", yamlText(p.type)],
        ["unit", p.unit ? yamlText(p.unit) : undefined],
        ["min", p.min && yamlRaw(p.min)],
        ["max", p.max && yamlRaw(p.max)],
        ["step", p.step && yamlRaw(p.step)],
        ["values", p.values?.length ? `[${p.values.map(yamlText).join(", ")}]` : undefined],
        ["default", p.default && yamlRaw(p.default)],
        ["monotonic", p.monotonic ? yamlText(p.monotonic) : undefined],
        ["interpolate", p.interpolate ? yamlText(p.interpolate) : undefined],
        ["cost", p.cost ? "true" : undefined],
      ])}`,
    );
  }
  lines.push(d.gears.length ? "gears:" : "gears: []");
  for (const g of d.gears)
    lines.push(
      `  - ${yamlMap([
        ["level", String(g.level)],
        ["set", yamlMap(Object.entries(g.set).map(([k, r]) => [k, yamlRaw(r)]))],
      ])}`,
    );
  return lines.join("\n") + "\n";
}

/** What a new template starts from. */
export function blank(name: string): Doc {
  return {
    name,
    description: "",
    tags: [],
    strategy: { kind: "fixed", settings: {} },
    levels: { count: 10, default: 10, min: 1, max: 10 },
    parameters: [
      {
        name: "work",
        type: "int",
        min: scalar("1"),
        max: scalar("100"),
        monotonic: "up",
        interpolate: "linear",
        cost: true,
      },
    ],
    gears: [
      { level: 1, set: { work: scalar("10") } },
      { level: 10, set: { work: scalar("100") } },
    ],
  };
}

/** One side of a stale write as YAML: a document, or a template with its draft. */
export function sideOf(v: unknown): string {
  const content =
    (v as { draft?: TemplateDocument } | undefined)?.draft ?? (v as TemplateDocument | undefined);
  try {
    return content ? toYAML(fromWire(content)) : "";
  } catch {
    return JSON.stringify(v, null, 1);
  }
}
