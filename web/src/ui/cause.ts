import type { TFunction } from "i18next";
import type { Schemas } from "../api/types";
import { said } from "../said/said";

type Change = Pick<Schemas["Change"], "cause" | "causes" | "app" | "idc">;

const isLoop = (author: string) => author.startsWith("system:");

/** Why it was done: of one of the server's own loops in the reader's words, of a person in their own. */
export function reasonBy(author: string, reason: string | undefined): string | undefined {
  return isLoop(author) ? said(reason) : reason;
}

/** A claim's source in the reader's words. */
export const sourceOf = (t: TFunction, name: string) => t(`points.sources.${name}`, { defaultValue: name });

/** A value as claims have it, "level 80", with its field in the reader's words. */
export function valueOf(t: TFunction, value: string): string {
  const [, field, rest] = /^(\w+) (.*)$/.exec(value) ?? [];
  if (!field) return value;
  const name = t(`points.field.${field}`, { defaultValue: field });
  return `${name[0]!.toLowerCase()}${name.slice(1)} ${rest}`;
}

/** Where a claim holds, without what its line says already: "score · k2" of k2/zjk/model/score. */
function placeOf(scope: string, change: Change): string {
  const [scene, idc, app, point, bucket] = scope.split("/");
  if (!point || point === "*" || (app !== "*" && app !== change.app) || (idc !== "*" && idc !== change.idc))
    return scope;
  return [point, scene !== "*" && scene, bucket !== "*" && bucket].filter(Boolean).join(" · ");
}

/**
 * What led to a revision, in the reader's language and the important part first. The server says it in
 * English too: lines that older controllers wrote have only that.
 */
export function causeOf(t: TFunction, change: Change): string {
  if (!change.causes?.length) return change.cause;
  return change.causes
    .map(({ code, args }) => {
      if (code === "claim_set" || code === "claim_ended") {
        const [from, author, value, scope, reason] = args as [string, string, string, string, string?];
        const who = author && !isLoop(author) ? `${sourceOf(t, from)}, ${author}` : sourceOf(t, from);
        const line = t(`ui.cause.${code}`, { value: valueOf(t, value), place: placeOf(scope, change), who });
        const why = reasonBy(author, reason);
        return why ? t("ui.cause.because", { line, reason: why }) : line;
      }
      return t(`ui.cause.${code}`, { a: args[0], b: args[1], defaultValue: change.cause });
    })
    .join(t("ui.cause.and"));
}
