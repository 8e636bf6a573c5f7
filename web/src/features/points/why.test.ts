import { describe, expect, it } from "vitest";
import { en, zh } from "../../test/languages";
import { summaryOf, verdictOf } from "./why";

const step = {
  field: "level",
  won: true,
  outcome: "won" as const,
  source: "feedback",
  scope: { scene: "k2", idc: "sh", app: "sn", point: "rank", bucket: "*" },
  value: "level 96",
  reason: "the only claim",
  reason_code: "only_claim" as const,
};
const order = { level: 80 } as never;

describe("why this gear", () => {
  it("words a verdict by its code, and shows an unknown one as the server said it", () => {
    const below = { reason: "x", reason_code: "below_source" as const, reason_args: ["manual", "plan"] };
    expect(verdictOf(en.t, below)).toBe("manual stands above plan");
    expect(verdictOf(zh.t, below)).toBe("手动优先于预案");
    expect(verdictOf(zh.t, { reason: "of a newer server", reason_code: "new" as never })).toBe(
      "of a newer server",
    );
  });

  it("says the level that is ordered, whose claim it is, and what limits did", () => {
    const claim = { ...step, claim_id: "c", author: "ann", claim_reason: "peak", limited: "96 becomes 80" };
    expect(summaryOf(en.t, { summary: "", steps: [claim], order })).toBe(
      "level 80: feedback claim of ann (peak); 96 becomes 80",
    );
    expect(summaryOf(zh.t, { summary: "", steps: [{ ...step, source: "template" }], order })).toBe(
      "档位 80：模版自身的值",
    );
    expect(summaryOf(en.t, { summary: "s", steps: [] })).toMatch(/^Nothing serves/);
  });
});
