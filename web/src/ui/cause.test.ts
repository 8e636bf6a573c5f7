import { describe, expect, it } from "vitest";
import openapi from "../../openapi.json";
import { en, zh } from "../test/languages";
import { causeOf, valueOf } from "./cause";

const change = { app: "model", idc: "zjk", cause: "as the server says it", causes: [] };
const set = (scope: string, author: string, reason = "") => ({
  ...change,
  causes: [{ code: "claim_set" as const, args: ["feedback", author, "level 7", scope, reason] }],
});

describe("what led to a revision", () => {
  it("says the value and where first, and who only when it is a person", () => {
    expect(causeOf(en.t, set("k2/zjk/model/score", "system:feedback", "RT 222 ms"))).toBe(
      "level 7 for score · k2 (feedback): RT 222 ms",
    );
    expect(causeOf(zh.t, set("*/*/model/score", "ann"))).toBe("score 设为档位 7（反馈, ann）");
  });

  it("says the whole scope where the line does not", () => {
    expect(causeOf(en.t, set("k2/*/*/*", "ann"))).toBe("level 7 for k2/*/*/* (feedback, ann)");
  });

  it("joins several, and shows the server's own words of old lines", () => {
    const causes = [
      { code: "published" as const, args: ["tags", "2"] },
      { code: "more" as const, args: ["3"] },
    ];
    expect(causeOf(zh.t, { ...change, causes })).toBe("模版 tags 第 2 版已发布；另有 3 项");
    expect(causeOf(en.t, change)).toBe("as the server says it");
  });

  it("words every code of the document in both languages", () => {
    const codes = openapi.components.schemas.Cause.properties.code.enum;
    expect(codes.length).toBeGreaterThan(0);
    for (const i of [en, zh]) for (const c of codes) expect(i.exists(`ui.cause.${c}`), c).toBe(true);
  });

  it("names the field of a value", () => {
    expect(valueOf(en.t, "available_rt 8.2ms")).toBe("available RT 8.2ms");
    expect(valueOf(zh.t, "level 3")).toBe("档位 3");
    expect(valueOf(en.t, "")).toBe("");
  });
});
