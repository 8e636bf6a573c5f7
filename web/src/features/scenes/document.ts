import type { Judgement, Scene, SceneGraph, SceneInput, ScenePlace } from "./types";

/** A scene as its form holds it: texts, as they are typed. */
export interface SceneForm {
  name: string;
  description: string;
  target: string;
  statistic: string;
  timeout: string;
  maxTimeouts: string; // in percent
  ladder: string;
  from: string;
  to: string;
  front: string; // app/point
  feedbackAlone: boolean;
}

export const blank: SceneForm = {
  name: "",
  description: "",
  target: "",
  statistic: "mean",
  timeout: "",
  maxTimeouts: "1",
  ladder: "",
  from: "",
  to: "",
  front: "",
  feedbackAlone: false,
};

export const placeText = (p: ScenePlace | undefined) => (p?.app || p?.point ? `${p.app}/${p.point}` : "");

export function placeOf(text: string): ScenePlace {
  const [app = "", ...rest] = text.trim().split("/");
  return { app, point: rest.join("/") };
}

/** A bare number is meant in milliseconds: everything here is. */
export const spanOf = (text: string) => {
  const s = text.trim();
  return /^\d+(\.\d+)?$/.test(s) ? `${s}ms` : s;
};

const units: Record<string, number> = { us: 0.001, µs: 0.001, ms: 1, s: 1000, m: 60_000 };

/** A duration as documents write it, in milliseconds; undefined where it is none. */
export function msOf(text: string): number | undefined {
  const parts = [...spanOf(text).matchAll(/(\d+(?:\.\d+)?)(us|µs|ms|s|m)/g)];
  if (!parts.length || parts.map((m) => m[0]).join("") !== spanOf(text)) return undefined;
  return parts.reduce((sum, m) => sum + Number(m[1]) * units[m[2]!]!, 0);
}

/** The steps of a ladder that a new target leaves: those that lie below it. */
export const below = (ladder: string[], target: string) =>
  ladder.filter((step) => (msOf(step) ?? 0) < (msOf(target) ?? Infinity));

/** Steps stand apart by spaces, commas or dots of both scripts. */
export const ladderOf = (text: string) =>
  text
    .split(/[\s,;·，、；]+/)
    .filter(Boolean)
    .map(spanOf);

export function formOf(s: Scene): SceneForm {
  return {
    name: s.name,
    description: s.description ?? "",
    target: s.target,
    statistic: s.statistic || "mean",
    timeout: s.timeout ?? "",
    maxTimeouts: s.max_timeouts ? String(Number((s.max_timeouts * 100).toPrecision(12))) : "",
    ladder: (s.ladder ?? []).join(", "),
    from: s.from ?? "",
    to: s.to ?? "",
    front: placeText(s.front),
    feedbackAlone: !!s.feedback_alone,
  };
}

/** The percent field as a share; undefined where it is no number. */
export const shareOf = (percent: string) => {
  const text = percent.trim().replace(/%$/, "").trim();
  if (!text) return 0;
  const v = Number(text);
  return Number.isFinite(v) ? Number((v / 100).toPrecision(12)) : undefined;
};

export function inputOfForm(f: SceneForm, graph: SceneGraph): SceneInput {
  const statistic = f.statistic.trim().toLowerCase();
  return {
    name: f.name.trim(),
    description: f.description.trim() || undefined,
    target: spanOf(f.target),
    statistic: statistic || undefined,
    timeout: spanOf(f.timeout) || undefined,
    max_timeouts: shareOf(f.maxTimeouts) || undefined,
    ladder: ladderOf(f.ladder),
    from: spanOf(f.from) || undefined,
    to: spanOf(f.to) || undefined,
    front: placeOf(f.front),
    feedback_alone: f.feedbackAlone || undefined,
    graph,
  };
}

/** What a save sends of a scene as it stands. */
export function inputOf(s: Scene): SceneInput {
  return {
    name: s.name,
    description: s.description,
    target: s.target,
    statistic: s.statistic,
    timeout: s.timeout,
    max_timeouts: s.max_timeouts,
    ladder: s.ladder,
    from: s.from,
    to: s.to,
    front: s.front,
    feedback_alone: s.feedback_alone,
    graph: s.graph,
  };
}

/** Which field of the form a place of the server's answer means; undefined for one elsewhere, as in the graph. */
export function fieldOf(path: string): keyof SceneForm | undefined {
  const head = /^[a-z_]+/.exec(path)?.[0] ?? "";
  const fields: Record<string, keyof SceneForm> = {
    name: "name",
    description: "description",
    target: "target",
    statistic: "statistic",
    timeout: "timeout",
    max_timeouts: "maxTimeouts",
    ladder: "ladder",
    from: "from",
    to: "to",
    range: "to",
    front: "front",
  };
  return fields[head];
}

/** What of a judgement no field of the form shows. */
export function elsewhere(j: Judgement | undefined): Judgement | undefined {
  return (
    j && {
      problems: j.problems.filter((p) => !fieldOf(p.path)),
      warnings: j.warnings.filter((p) => !fieldOf(p.path)),
    }
  );
}

/**
 * Puts what was typed onto a newer version: a field that was not touched follows
 * it, one that was stays. Both changed: mine stays, and is named.
 */
export function ontoNewer(
  base: SceneForm,
  mine: SceneForm,
  theirs: SceneForm,
): { form: SceneForm; both: (keyof SceneForm)[] } {
  const both: (keyof SceneForm)[] = [];
  const form = { ...theirs };
  const put = <K extends keyof SceneForm>(key: K) => {
    if (mine[key] === base[key]) return;
    form[key] = mine[key];
    if (theirs[key] !== base[key] && theirs[key] !== mine[key]) both.push(key);
  };
  (Object.keys(mine) as (keyof SceneForm)[]).forEach(put);
  return { form, both };
}
