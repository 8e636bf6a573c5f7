/**
 * Reads and checks a whole document, twin of server/template's Read: what is
 * wrong, each with path, code, message and place, in the order of the document.
 */
import type { Place } from "../../api/problem";
import { declare, type RawDecl } from "./declaration";
import type { Doc, ParamDoc } from "./document";
import { settingsOf } from "./strategies";
import type { Node } from "./tree";
import {
  check,
  numeric,
  parseValue,
  quoted,
  rawGot,
  shown,
  type Param,
  type Raw,
  type Value,
} from "./typecheck";
import { validate, type Content } from "./validate";

export interface Located extends Place {
  line?: number;
  column?: number;
}

export interface ReadResult {
  doc: Doc;
  problems: Located[];
}

export function joinPath(prefix: string, rest: string): string {
  if (!prefix) return rest;
  if (!rest) return prefix;
  return rest.startsWith("[") ? prefix + rest : `${prefix}.${rest}`;
}

export function read(root: Node): ReadResult {
  const r = new Reader();
  const doc = r.document(root);
  let problems = r.problems;
  if (!problems.some((p) => p.path.startsWith("parameters"))) {
    const own = problems.slice();
    for (const p of validate(doc, r.content)) if (!own.some((q) => covers(q.path, p.path))) problems.push(p);
  }
  problems = problems.map((p) => r.locate(p));
  return { doc, problems: stableByPlace(problems) };
}

function stableByPlace(problems: Located[]): Located[] {
  return problems
    .map((p, i) => ({ p, i }))
    .sort((a, b) => (a.p.line ?? 0) - (b.p.line ?? 0) || (a.p.column ?? 0) - (b.p.column ?? 0) || a.i - b.i)
    .map((x) => x.p);
}

function covers(q: string, path: string): boolean {
  if (!path.startsWith(q)) return false;
  const rest = path.slice(q.length);
  return q === "" || rest === "" || rest.startsWith(".") || rest.startsWith("[");
}

const label = (path: string) => path || "the document";

class Reader {
  problems: Located[] = [];
  content: Content = { settings: {}, params: [], sets: [], levels: { count: 0, min: 1, max: 0, start: 0 } };
  private deaf = false;
  private places = new Map<string, { line: number; column: number }>();

  private bad(n: Node | undefined, path: string, code: string, message: string) {
    this.problems.push({ path, code, message, line: n?.line || undefined, column: n?.column || undefined });
  }

  locate(p: Located): Located {
    if (p.line) return p;
    for (let path = p.path; ; path = parentPath(path)) {
      const at = this.places.get(path);
      if (at?.line) return { ...p, line: at.line, column: at.column };
      if (!path) return p;
    }
  }

  private fields(
    n: Node | undefined,
    path: string,
    known: string[],
  ): Record<string, Node | undefined> | undefined {
    if (!n) return undefined;
    this.places.set(path, n);
    if (n.raw.token !== "map") {
      this.bad(n, path, "type", `${label(path)} wants a map, got ${rawGot(n.raw)}`);
      return undefined;
    }
    const out: Record<string, Node | undefined> = {};
    n.keys.forEach((k, i) => {
      const kid = n.kids[i]!;
      const at = joinPath(path, shown(k));
      if (!known.includes(k)) {
        this.bad(kid, at, "unknown", `${quoted(k)} is not a field here; known are ${known.join(", ")}`);
        return;
      }
      this.places.set(at, kid);
      if (kid.raw.token !== "null") out[k] = kid;
    });
    return out;
  }

  private list(n: Node | undefined, path: string, limit: number): Node[] {
    if (!n) return [];
    if (n.raw.token !== "list") {
      this.bad(n, path, "type", `${label(path)} wants a list, got ${rawGot(n.raw)}`);
      return [];
    }
    if (n.kids.length > limit) {
      this.bad(n, path, "length", `${label(path)} has at most ${limit} entries, got ${n.kids.length}`);
      return [];
    }
    return n.kids;
  }

  private text(n: Node | undefined, path: string): string {
    if (!n) return "";
    if (n.raw.token !== "string") {
      this.bad(n, path, "type", `${label(path)} wants string, got ${rawGot(n.raw)}`);
      return "";
    }
    return n.raw.text;
  }

  private texts(n: Node | undefined, path: string, limit: number): string[] {
    return this.list(n, path, limit).map((k, i) => this.text(k, `${path}[${i}]`));
  }

  private level(n: Node | undefined, path: string, otherwise: number): number {
    if (!n) return otherwise;
    const v = parseValue("int", n.raw);
    let code = v.code;
    const big = v.value && "big" in v.value ? v.value.big : 0n;
    if (!code && (big < -1000000n || big > 1000000n)) code = "range";
    if (code) {
      this.bad(n, path, code, `${label(path)} wants int 1..100, got ${rawGot(n.raw)}`);
      return otherwise;
    }
    return Number(big);
  }

  document(root: Node): Doc {
    const f =
      this.fields(root, "", ["name", "description", "tags", "strategy", "levels", "parameters", "gears"]) ??
      {};
    const name = this.text(f.name, "name");
    const description = this.text(f.description, "description");
    const tags = this.texts(f.tags, "tags", 32);
    const strategy = this.strategy(f.strategy);
    const l = this.fields(f.levels, "levels", ["count", "default", "min", "max"]) ?? {};
    const count = this.level(l.count, "levels.count", 0);
    const min = this.level(l.min, "levels.min", 1);
    const max = this.level(l.max, "levels.max", count);
    const start = this.level(l.default, "levels.default", max);
    this.content.levels = { count, min, max, start };
    const parameters = this.list(f.parameters, "parameters", 64).map((n, i) => {
      const names = this.content.params.map((p) => p.param.name);
      const p = this.parameter(n, `parameters[${i}]`);
      if (p.name && names.includes(p.name))
        this.bad(n, `parameters[${i}].name`, "duplicate", `${quoted(p.name)} is declared twice`);
      return p;
    });
    // Without sound parameters no gear can be read: one fault, one problem.
    this.deaf = this.problems.some((p) => p.path.startsWith("parameters"));
    const gears = this.list(f.gears, "gears", 100).map((n, i) => this.anchor(n, `gears[${i}]`));
    return {
      name,
      description,
      tags,
      strategy,
      levels: {
        count: Math.max(1, Math.min(100, count)),
        default: l.default && start,
        min: l.min && min,
        max: l.max && max,
      },
      parameters,
      gears,
    };
  }

  private strategy(n: Node | undefined): Doc["strategy"] {
    const f = this.fields(n, "strategy", ["kind", "settings"]) ?? {};
    const kind = this.text(f.kind, "strategy.kind");
    const params = settingsOf(kind).map((d) => declare(d).param);
    if (!f.settings) return { kind, settings: {} };
    if (params.length || kind === "fixed")
      this.content.settings = this.values(
        f.settings,
        "strategy.settings",
        `setting of strategy ${kind}`,
        "",
        (name) => params.find((p) => p.name === name),
      );
    return { kind, settings: rawsOf(f.settings) };
  }

  private values(
    n: Node,
    path: string,
    what: string,
    suffix: string,
    find: (name: string) => Param | undefined,
  ): Record<string, Value> {
    const out: Record<string, Value> = {};
    if (n.raw.token !== "map") {
      this.bad(n, path, "type", `${label(path)} wants a map, got ${rawGot(n.raw)}`);
      return out;
    }
    n.keys.forEach((name, i) => {
      const kid = n.kids[i]!;
      const at = joinPath(path, shown(name));
      this.places.set(at, kid);
      const p = find(name);
      if (!p) {
        this.bad(kid, at, "unknown", `${quoted(name)} is not a ${what}`);
        return;
      }
      const v = parseValue(p.kind, kid.raw);
      if (v.value) out[name] = v.value;
      else this.bad(kid, at, v.code, wantsText(p, kid.raw) + suffix);
    });
    return out;
  }

  private parameter(n: Node, path: string): ParamDoc {
    const f = this.fields(n, path, [
      "name",
      "type",
      "unit",
      "min",
      "max",
      "step",
      "values",
      "default",
      "monotonic",
      "interpolate",
      "cost",
    ]);
    const g = f ?? {};
    const d: RawDecl = {
      name: this.text(g.name, `${path}.name`),
      type: this.text(g.type, `${path}.type`),
      unit: this.text(g.unit, `${path}.unit`) || undefined,
      monotonic: this.text(g.monotonic, `${path}.monotonic`) || undefined,
      min: g.min?.raw,
      max: g.max?.raw,
      step: g.step?.raw,
      default: g.default?.raw,
    };
    const values = this.list(g.values, `${path}.values`, 64).map((v, i) =>
      this.text(v, `${path}.values[${i}]`),
    );
    if (values.length) d.values = values;
    const { param, problems } = declare(d);
    if (f) for (const p of problems) this.bad(g[p.path] ?? n, joinPath(path, p.path), p.code, p.message);
    const interpolate = this.text(g.interpolate, `${path}.interpolate`);
    let cost = false;
    if (g.cost) {
      const v = parseValue("bool", g.cost.raw);
      if (v.code) this.bad(g.cost, `${path}.cost`, v.code, `cost wants bool, got ${rawGot(g.cost.raw)}`);
      cost = v.value?.kind === "bool" && v.value.on;
    }
    this.content.params.push({
      param,
      interpolate: interpolate || (numeric(param.kind) ? "linear" : "step"),
      cost,
    });
    return { ...d, interpolate: interpolate || undefined, cost: cost || undefined };
  }

  private anchor(n: Node, path: string): Doc["gears"][number] {
    const given = this.fields(n, path, ["level", "set"]);
    const f = given ?? {};
    const level = this.level(f.level, `${path}.level`, 0);
    if (given && !f.level)
      this.bad(n, `${path}.level`, "required", "a gear's level wants int 1..100, got nothing");
    const set =
      f.set && !this.deaf
        ? this.values(
            f.set,
            `${path}.set`,
            "parameter of this template",
            ` at level ${level}`,
            (name) => this.content.params.find((p) => p.param.name === name)?.param,
          )
        : {};
    this.content.sets.push({ level, set });
    return { level, set: f.set ? rawsOf(f.set) : {} };
  }
}

const wantsText = (p: Param, raw: Raw) => {
  const message = check(p, undefined)!.message; // "… wants …, got nothing"
  return message.replace(/nothing$/, () => rawGot(raw));
};

function rawsOf(n: Node): Record<string, Raw> {
  return Object.fromEntries(n.keys.map((k, i) => [k, n.kids[i]!.raw]));
}

function parentPath(p: string): string {
  for (let i = p.length - 1; i > 0; i--) if (p[i] === "." || p[i] === "[") return p.slice(0, i);
  return "";
}
