import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { ms, share } from "../../ui/format";
import { Card } from "../../ui/marks";
import type { Experiment, Figures, Result } from "./api";
import { signed } from "./marks";
import Plot, { type Line } from "./Plot";

const metrics = ["value", "rt", "timeouts", "p99", "requests"] as const;
type Metric = (typeof metrics)[number];

const of: Record<Metric, (f: Figures) => number> = {
  value: (f) => f.value,
  rt: (f) => f.mean_ms,
  timeouts: (f) => f.timeout_rate,
  p99: (f) => f.p99_ms,
  requests: (f) => f.requests,
};

const shown: Record<Metric, (v: number) => string> = {
  value: (v) => v.toPrecision(3),
  rt: ms,
  timeouts: (v) => share(v),
  p99: ms,
  requests: (v) => v.toFixed(0),
};

const asLift = (v: number) => signed(v, 1);

/** The lift as it settles, with its interval, and what each arm did meanwhile. */
export default function Courses({ experiment: x, result: r }: { experiment: Experiment; result: Result }) {
  const { t } = useTranslation();
  const [metric, setMetric] = useState<Metric>("value");
  const lifts = useMemo<Line[]>(
    () =>
      x.arms.flatMap((a, i): Line[] => {
        if (i === 0) return [];
        const course = (pick: "estimate" | "low" | "high") =>
          r.series.map((p): [number, number | null] => [Date.parse(p.at), p.lifts[i]?.[pick] ?? null]);
        return [
          { name: a.name, ink: i, points: course("estimate") },
          { name: a.name, ink: i, points: course("low"), edge: true },
          { name: a.name, ink: i, points: course("high"), edge: true },
        ];
      }),
    [x.arms, r.series],
  );
  const lines = useMemo<Line[]>(
    () =>
      x.arms.map((a, i) => ({
        name: a.name,
        ink: i,
        points: r.series.map((p): [number, number | null] => {
          const f = p.arms[i];
          return [Date.parse(p.at), f?.requests ? of[metric](f) : null];
        }),
      })),
    [x.arms, r.series, metric],
  );
  const span = useMemo<[number, number]>(() => {
    const first = Date.parse(r.series[0]!.at);
    return [first, Math.max(Date.parse(r.series[r.series.length - 1]!.at) + 60_000, first + 300_000)];
  }, [r.series]);
  const settled = r.series.some((p) => p.lifts.some(Boolean));
  return (
    <div className="experiment-plots">
      <Card title={t("experiments.liftOverTime", { control: x.arms[0]!.name })}>
        {settled ? (
          <Plot
            title={t("experiments.liftOverTime", { control: x.arms[0]!.name })}
            lines={lifts}
            span={span}
            format={asLift}
            zero
          />
        ) : (
          <p className="soft">{t("experiments.tooLittle")}</p>
        )}
      </Card>
      <Card
        title={t("experiments.overTime")}
        actions={
          <select
            className="native"
            aria-label={t("experiments.metric")}
            value={metric}
            onChange={(e) => setMetric(e.target.value as Metric)}
          >
            {metrics.map((m) => (
              <option key={m} value={m}>
                {t(`experiments.metrics.${m}`)}
              </option>
            ))}
          </select>
        }
      >
        <Plot title={t(`experiments.metrics.${metric}`)} lines={lines} span={span} format={shown[metric]} />
      </Card>
    </div>
  );
}
