import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Place } from "../../api/problem";
import { declare, type RawDecl } from "./declaration";
import {
  format,
  formatDuration,
  paramText,
  parse,
  parseDuration,
  scalar,
  type Raw,
  type Token,
} from "./typecheck";

interface GoldenParam extends Omit<RawDecl, "min" | "max" | "step" | "default"> {
  min?: string;
  max?: string;
  step?: string;
  default?: string;
}

interface Golden {
  values: {
    case: string;
    param: GoldenParam;
    token: Token;
    text: string;
    repeat?: number;
    wants: string;
    value?: string;
    problem?: Place;
  }[];
  declarations: { case: string; param: GoldenParam; problems: Place[] }[];
  durations: { text: string; is: string }[];
  scalars: { text: string; is: Token }[];
}

const golden = JSON.parse(readFileSync("../proto/gear/testdata/typecheck.json", "utf8")) as Golden;

function bound(text: string | undefined): Raw | undefined {
  if (!text) return undefined;
  return text.length >= 2 && text.startsWith('"') ? scalar(text.slice(1, -1), true) : scalar(text);
}

const decl = (p: GoldenParam): RawDecl => ({
  ...p,
  min: bound(p.min),
  max: bound(p.max),
  step: bound(p.step),
  default: bound(p.default),
});

describe("the golden file shared with Go", () => {
  it("is the real one", () => expect(golden.values.length).toBeGreaterThanOrEqual(60));

  it.each(golden.values)("value: $case", (c) => {
    const { param, problems } = declare(decl(c.param));
    expect(problems).toEqual([]);
    expect(paramText(param)).toBe(c.wants);
    const { value, problem } = parse(param, { token: c.token, text: c.text.repeat(c.repeat ?? 1) });
    expect(problem).toEqual(c.problem);
    if (!c.problem) expect(`${value!.kind}:${format(value)}`).toBe(c.value);
  });

  it.each(golden.declarations)("declaration: $case", (c) => {
    expect(declare(decl(c.param)).problems).toEqual(c.problems);
  });

  it.each(golden.durations)("duration: $text", (c) => {
    const ns = parseDuration(c.text);
    expect(ns === undefined ? "refused" : formatDuration(ns)).toBe(c.is);
  });

  it.each(golden.scalars)("scalar: $text", (c) => expect(scalar(c.text).token).toBe(c.is));
});
