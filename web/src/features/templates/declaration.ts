import type { Place } from "../../api/problem";
import {
  checkDecl,
  kinds,
  numeric,
  parseValue,
  quoted,
  rawGot,
  type Kind,
  type Param,
  type Raw,
} from "./typecheck";

/** A parameter's declaration as a document writes it; an absent bound is undefined. */
export interface RawDecl {
  name: string;
  type: string;
  unit?: string;
  min?: Raw;
  max?: Raw;
  step?: Raw;
  default?: Raw;
  values?: string[];
  monotonic?: string;
}

/** Reads a declaration and checks it, twin of gear.RawDecl.Param. The param is sound only without problems. */
export function declare(d: RawDecl): { param: Param; problems: Place[] } {
  const problems: Place[] = [];
  const param: Param = { name: d.name, kind: d.type as Kind, unit: d.unit ?? "", values: d.values ?? [] };
  const name = quoted(d.name);
  if (!kinds.includes(param.kind)) {
    problems.push({
      path: "type",
      code: "type",
      message: `${name} needs a type: int, float, bool, string, enum or duration`,
    });
    return { param, problems };
  }
  if (d.monotonic && !["none", "up", "down"].includes(d.monotonic))
    problems.push({
      path: "monotonic",
      code: "enum",
      message: `monotonic of ${name} wants none, up or down, got ${quoted(d.monotonic)}`,
    });
  for (const path of ["min", "max", "step", "default"] as const) {
    const raw = d[path];
    if (!raw) continue;
    const read = parseValue(param.kind, raw);
    if (read.value) param[path] = read.value;
    else if (path !== "default" && !numeric(param.kind))
      problems.push({ path, code: "type", message: `${name} is ${param.kind} and has no ${path}` });
    else
      problems.push({
        path,
        code: read.code,
        message: `the ${path} of ${name} must be ${param.kind}, got ${rawGot(raw)}`,
      });
  }
  return { param, problems: problems.length ? problems : checkDecl(param) };
}
