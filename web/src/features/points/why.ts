import type { TFunction } from "i18next";
import type { Schemas } from "../../api/types";
import { said } from "../../said/said";
import { reasonBy, sourceOf, valueOf } from "../../ui/cause";
import { dateTime, isTime } from "../../ui/format";

type Explanation = Schemas["Explanation"];
type Step = Schemas["ExplainRow"];

/** Why a wish won or lost. The server says it in English and as a code; the code is worded here. */
export function verdictOf(t: TFunction, s: Pick<Step, "reason" | "reason_code" | "reason_args">): string {
  const args = (s.reason_args ?? []).map((a) => sourceOf(t, a));
  return t(`points.verdicts.${s.reason_code}`, {
    a: args[0],
    b: args[1],
    c: args[2],
    defaultValue: s.reason,
  });
}

/** How the level came to be, in one sentence. */
export function summaryOf(t: TFunction, e: Pick<Explanation, "summary" | "steps" | "order">): string {
  const won = e.steps?.find((s) => s.field === "level" && s.won);
  if (!won || !e.order) return e.steps?.length ? e.summary : t("points.whyNothing");
  const level = valueOf(t, `level ${e.order.level}`);
  const why = won.claim_id
    ? t(isTime(won.end) ? "points.whyUntil" : "points.whyClaim", {
        level,
        source: sourceOf(t, won.source),
        who: won.author,
        until: isTime(won.end) ? dateTime(won.end) : "",
      })
    : t("points.whyOwn", { level });
  const reason = reasonBy(won.author ?? "", won.claim_reason);
  return [why + (reason ? ` (${reason})` : ""), said(won.limited)].filter(Boolean).join("; ");
}
