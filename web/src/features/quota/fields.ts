import type { QuotaSettings } from "./types";

export type SettingKey = Exclude<keyof QuotaSettings, "$schema">;
export type FieldKey = SettingKey | "description" | "enabled";

/** One field of a group's form. Bounds and units are those that the server checks. */
export interface Field {
  key: FieldKey;
  kind: "number" | "duration" | "flag" | "law" | "text" | "curves";
  unit?: "candidates" | "perWindow" | "perSecond" | "seconds" | "cores" | "ln" | "value";
  lo?: number; // durations in ms
  hi?: number;
}

export const laws = ["log", "linear", "dcaf"] as const;
export const tickMs = 100;

const gain = { kind: "number", lo: 0, hi: 100 } as const;
const candidates = { kind: "number", unit: "candidates", lo: 1, hi: 1e6 } as const;
const weight = { kind: "number", unit: "value", lo: 0.01, hi: 100 } as const;
const slew = { kind: "number", unit: "ln", lo: 0.001, hi: 10 } as const;

/** The form's sections, in order. */
export const sections: { key: "budget" | "control" | "weights" | "fallback"; fields: Field[] }[] = [
  {
    key: "budget",
    fields: [
      { key: "total_quota", kind: "number", unit: "perWindow", lo: 1, hi: 1e12 },
      { key: "window", kind: "duration", lo: 500, hi: 30_000 },
      { key: "q_min", ...candidates },
      { key: "q_max", ...candidates },
      { key: "watermark", kind: "number", unit: "cores", lo: 0.05, hi: 1 },
    ],
  },
  {
    key: "control",
    fields: [
      { key: "law", kind: "law" },
      { key: "kp", ...gain },
      { key: "ki", ...gain, unit: "perSecond" },
      { key: "kd", ...gain, unit: "seconds" },
      { key: "delay", kind: "duration", lo: 100, hi: 5_000 },
      { key: "feed_forward", kind: "flag" },
      { key: "curves", kind: "curves" },
    ],
  },
  {
    key: "weights",
    fields: [
      { key: "weight_min", ...weight },
      { key: "weight_max", ...weight },
      { key: "normalise", kind: "flag" },
    ],
  },
  {
    key: "fallback",
    fields: [
      { key: "default_quota", ...candidates },
      { key: "fallback_slew", ...slew },
      { key: "return_slew", ...slew },
    ],
  },
];

export const settings = sections.flatMap((s) => s.fields);

/** Those that change how the loop answers, in the tuner's order. */
export const tuned = (
  ["total_quota", "law", "kp", "ki", "kd", "window", "delay", "q_min", "q_max", "feed_forward"] as const
).map((k) => settings.find((f) => f.key === k)!);

export const shows = (f: Field, law: string) => f.key !== "curves" || law === "dcaf";
