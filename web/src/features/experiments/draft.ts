import type { Arm, Experiment, ExperimentInput } from "./api";

/** An arm as it is typed. */
export interface DraftArm {
  name: string;
  share: string;
  strategy: string;
  level: string;
  rt: string;
}

export interface Draft {
  name: string;
  scope: { scene: string; idc: string; app: string; point: string };
  measure: { app: string; point: string };
  duration: string;
  arms: DraftArm[];
}

const arm = (name: string, share: string, strategy = "", level = "", rt = ""): DraftArm => ({
  name,
  share,
  strategy,
  level,
  rt,
});

/** What people compare most: where to begin. */
export const patterns: Record<string, DraftArm[]> = {
  onOff: [arm("dynamic", "50"), arm("off", "50", "fixed", "80")],
  crowd: [
    arm("central", "33.33", "central", "", "8ms"),
    arm("crowd", "33.33", "crowd_rt", "", "8ms"),
    arm("off", "33.34", "fixed", "80"),
  ],
  same: [arm("a", "50"), arm("b", "50")],
};

export const blank = (): Draft => ({
  name: "",
  scope: { scene: "*", idc: "*", app: "", point: "" },
  measure: { app: "", point: "" },
  duration: "1h",
  arms: patterns.onOff!.map((a) => ({ ...a })),
});

const named = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const duration = /^(\d+(\.\d+)?(ms|us|s|m|h))+$/;

/** Keys of messages, by path; what the server refuses too, said while it is typed. */
export function faults(d: Draft): Record<string, string> {
  const out: Record<string, string> = {};
  const want = (path: string, ok: boolean, key: string) => {
    if (!ok) out[path] ??= `experiments.fault.${key}`;
  };
  want("name", named.test(d.name), "name");
  for (const f of ["scene", "idc", "app", "point"] as const)
    want(`scope.${f}`, d.scope[f] === "*" || named.test(d.scope[f]), "place");
  want("measure.app", named.test(d.measure.app), "exact");
  want("measure.point", named.test(d.measure.point), "exact");
  want("duration", duration.test(d.duration), "duration");
  let total = 0;
  d.arms.forEach((a, i) => {
    const share = Number(a.share);
    want(`arms.${i}.name`, named.test(a.name), "name");
    want(`arms.${i}.name`, d.arms.findIndex((o) => o.name === a.name) === i, "twice");
    want(`arms.${i}.share`, a.share.trim() !== "" && share >= 1 && share <= 100, "share");
    total += Math.round(share * 100) || 0;
    const level = Number(a.level);
    want(
      `arms.${i}.level`,
      a.level === "" || (Number.isInteger(level) && level >= 1 && level <= 100),
      "level",
    );
    want(`arms.${i}.level`, a.strategy !== "fixed" || a.level !== "", "fixed");
    want(`arms.${i}.rt`, a.rt === "" || duration.test(a.rt), "rt");
  });
  want("arms", d.arms.length >= 2 && d.arms.length <= 8, "arms");
  want("arms", total <= 10_000, "total");
  return out;
}

export function inputOf(d: Draft, reason: string): ExperimentInput {
  return {
    name: d.name,
    reason,
    scope: d.scope,
    measure: d.measure,
    duration: d.duration,
    arms: d.arms.map((a) => ({
      name: a.name,
      share: Number(a.share),
      ...(a.strategy && { strategy: a.strategy }),
      ...(a.level && { level: Number(a.level) }),
      ...(a.rt && { available_rt: a.rt }),
    })),
  };
}

/** "24h0m0s" as people write it. */
export const short = (d: string) => d.replace(/([hm])0s$/, "$1").replace(/h0m$/, "h");

/** What is written, as it is typed; of a stored draft or of what a stale write sent. */
export const draftOf = (x: Experiment | ExperimentInput): Draft => ({
  name: x.name,
  scope: {
    scene: x.scope.scene ?? "*",
    idc: x.scope.idc ?? "*",
    app: x.scope.app ?? "*",
    point: x.scope.point ?? "*",
  },
  measure: { app: x.measure.app, point: x.measure.point },
  duration: short(x.duration),
  arms: x.arms.map((a) =>
    arm(a.name, String(a.share), a.strategy, a.level ? String(a.level) : "", a.available_rt),
  ),
});

/** One line a field, to lay versions side by side. */
export function linesOf(x: Experiment | ExperimentInput): string {
  const d = draftOf(x);
  return [
    d.name,
    x.reason,
    Object.values(d.scope).join("/"),
    `${d.measure.app}/${d.measure.point}`,
    d.duration,
    ...x.arms.map((a) => [a.name, `${a.share} %`, settingsOf(a)].filter(Boolean).join(" · ")),
  ].join("\n");
}

/** The document that the command line reads. */
export const documentOf = (x: Experiment): ExperimentInput => ({
  name: x.name,
  reason: x.reason,
  scope: x.scope,
  measure: x.measure,
  duration: x.duration,
  arms: x.arms,
});

/** What an arm sets, in the words of claims; nothing where it leaves all as it is. */
export const settingsOf = (a: Arm): string =>
  [a.strategy, a.level && `level ${a.level}`, a.available_rt && `RT ${a.available_rt}`]
    .filter(Boolean)
    .join(", ");
