import type { TFunction } from "i18next";
import type { SceneLink } from "./types";

type Metrics = Pick<
  NonNullable<SceneLink["live"]>,
  "count" | "timeouts" | "rt_mean_ms" | "rt_p50_ms" | "rt_p95_ms" | "rt_p99_ms"
>;

/** Share of requests that timed out in a window. */
export const late = (m: Metrics | null | undefined) => (m && m.count > 0 ? m.timeouts / m.count : undefined);

/** The figure that the scene's target speaks of. */
export function figure(m: Metrics | null | undefined, statistic: string | undefined): number | undefined {
  if (!m || m.count === 0) return undefined;
  if (!statistic || statistic === "mean") return m.rt_mean_ms;
  const q = Number(statistic.slice(1));
  return q <= 50 ? m.rt_p50_ms : q <= 95 ? m.rt_p95_ms : m.rt_p99_ms;
}

/** Where a level comes from, in the words of the points' pages. */
export const sourceName = (t: TFunction, source: string | undefined) =>
  source ? t(`points.sources.${source}`, { defaultValue: source }) : "–";
