import type { AuditEntry, Binding, Claim, PointKey } from "../api/types";

/** Quotes a word for a POSIX shell. */
export function sh(word: string): string {
  return /^[\w.,:/@%+=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

const line = (...words: (string | number)[]) => ["allspark", ...words.map((w) => sh(String(w)))].join(" ");

// Every line here is parsed by the real command tree in server/cli (console_test.go),
// over the samples of commands.test.ts.

export const showPoint = (k: PointKey) => line("point", k.scene, k.idc, k.app, k.point);

export const explainPoint = (k: PointKey, at?: string) =>
  line("explain", k.scene, k.idc, k.app, k.point, ...(at ? ["--at", at] : []));

export const showAgent = (instance: string) => line("agent", instance);

export const showChange = (revision: number) => line("change", "show", revision);

export const getTemplate = (name: string) => line("template", "get", name);

export const bindTemplate = (b: Pick<Binding, "template" | "selector" | "pin">) =>
  line(
    "bind",
    b.template,
    b.selector.scene,
    b.selector.idc,
    b.selector.app,
    b.selector.point,
    ...(b.pin ? ["--pin", b.pin] : []),
  );

export const releaseClaim = (c: Pick<Claim, "id" | "value">) =>
  line("claim", "release", c.id, "--reason", `end ${c.value}`);

export const listAudit = (e: Pick<AuditEntry, "kind" | "name">) =>
  line("audit", "list", "--kind", e.kind, ...(e.name ? ["--search", e.name] : []));

export const showLeaderboard = (
  q: Partial<Record<"window" | "to" | "group" | "sort" | "app" | "idc" | "scene", string>>,
) => line("leaderboard", ...Object.entries(q).flatMap(([k, v]) => (v ? [`--${k}=${v}`] : [])));

export const setUser = (name: string, grants: { role: string; app: string; idc: string }[]) =>
  line("user", "set", name, ...grants.flatMap((g) => ["--grant", `${g.role}:${g.app}:${g.idc}`]));

export const showExperiment = (name: string) => line("experiment", "show", name);

export const showPlan = (name: string) => line("plan", "show", name);

export const applyPlan = (name: string) => line("plan", "apply", "-f", `${name}.yaml`);

export const actOnPlan = (verb: "approve" | "hold" | "resume" | "stop", name: string, reason: string) =>
  line("plan", verb, name, "--reason", reason);
