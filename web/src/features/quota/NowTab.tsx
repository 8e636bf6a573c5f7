import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { count, share } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useHistory } from "./api";
import { Crew } from "./marks";
import { MembersCard } from "./MembersCard";
import Plot, { type Line } from "./Plot";
import { TermsCard } from "./TermsCard";
import { windowSeconds } from "./rules";
import type { QuotaPoint, QuotaState } from "./types";
import { digits } from "./units";
import { WeightsCard } from "./WeightsCard";

const ranges = ["10", "60", "360", "1440"]; // minutes; ten are seconds
const percent = (v: number) => share(v, 0);
const signed = (v: number) => digits(v);

export default function NowTab({ name, group: g }: { name: string; group: QuotaState }) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const range = ranges.find((r) => r === params.get("range")) ?? "10";
  const seconds = range === "10";
  const query = useHistory(name, seconds ? undefined : Number(range));
  return (
    <div className="columns">
      <div className="stack">
        <Card
          title={t("quota.history")}
          actions={
            <select
              className="native"
              aria-label={t("points.range")}
              value={range}
              onChange={(e) =>
                setParams(
                  (p) => {
                    p.set("range", e.target.value);
                    return p;
                  },
                  { replace: true },
                )
              }
            >
              {ranges.map((r) => (
                <option key={r} value={r}>
                  {t(`quota.ranges.${r}`)}
                </option>
              ))}
            </select>
          }
        >
          <Loaded query={query} rows={6}>
            {(h) =>
              h.items?.length ? (
                <Charts group={g} items={h.items} seconds={h.step === "second"} />
              ) : (
                <div className="state">{t(seconds ? "quota.noSeconds" : "quota.noMinutes")}</div>
              )
            }
          </Loaded>
        </Card>
        <MembersCard members={g.members} />
      </div>
      <div className="stack">
        <TermsCard group={g} />
        <Card title={t("quota.crew")}>
          <Crew crew={g.status.crew} />
        </Card>
        <WeightsCard group={g} />
      </div>
    </div>
  );
}

function Charts({ group: g, items, seconds }: { group: QuotaState; items: QuotaPoint[]; seconds: boolean }) {
  const { t } = useTranslation();
  const { settings: s } = g;
  const lines = useMemo(() => {
    const line = (label: string, of: (p: QuotaPoint) => number | null | undefined): Line => ({
      name: label,
      points: gaps(items, seconds).map((p) => [p.at, p.point ? (of(p.point) ?? null) : null]),
    });
    return {
      sum: [
        line(t("quota.mean"), (p) => p.sum),
        ...(seconds ? [] : [line(t("quota.greatest"), (p) => p.sum_max)]),
      ],
      base: [
        line(t("quota.base"), (p) => p.base),
        ...(seconds
          ? []
          : [line(t("quota.greatest"), (p) => p.base_max), line(t("quota.least"), (p) => p.base_min)]),
      ],
      arrivals: [line(t("quota.arrivals"), (p) => p.arrivals)],
      consumed: [line(t("quota.consumed"), (p) => p.consumed)],
      terms: [
        line("P", (p) => p.p),
        line("I", (p) => p.i),
        line("D", (p) => p.d),
        line(t("quota.ff"), (p) => p.feed_forward),
      ],
      capped: [line(t("quota.capped"), (p) => p.capped)],
      fallback: [line(t("quota.rung.fallback"), (p) => p.fallback)],
      cpu: [line("CPU", (p) => p.cpu)],
      weight: [line(t("quota.meanWeight"), (p) => p.mean_weight || null)],
    };
  }, [items, seconds, t]);
  const marks = useMemo(
    () => ({
      sum: [{ value: 1, name: t("quota.budgetMark") }],
      base: [{ value: s.default_quota, name: t("quota.field.default_quota") }],
      consumed: [{ value: s.total_quota / windowSeconds(s), name: t("quota.budgetMark") }],
      cpu: [{ value: s.watermark, name: t("quota.field.watermark") }],
    }),
    [s, t],
  );
  const common = { group: "quota" };
  return (
    <div className="charts">
      <Plot {...common} title={t("quota.sumShare")} lines={lines.sum} marks={marks.sum} format={percent} />
      <Plot {...common} title={t("quota.base")} lines={lines.base} marks={marks.base} format={digits} />
      <Plot {...common} title={t("quota.arrivalsRate")} lines={lines.arrivals} format={count} />
      <Plot
        {...common}
        title={t("quota.consumedRate")}
        lines={lines.consumed}
        marks={marks.consumed}
        format={digits}
      />
      {seconds && (
        <Plot
          {...common}
          title={t("quota.termsTitle")}
          lines={lines.terms}
          format={signed}
          fromZero={false}
        />
      )}
      <Plot
        {...common}
        title={t("quota.fallbackShare")}
        lines={lines.fallback}
        format={percent}
        ceiling={1}
      />
      <Plot {...common} title="CPU" lines={lines.cpu} marks={marks.cpu} format={percent} ceiling={1} />
      {seconds && <Plot {...common} title={t("quota.cappedRate")} lines={lines.capped} format={count} />}
      {seconds && s.normalise && (
        <Plot {...common} title={t("quota.meanWeight")} lines={lines.weight} format={digits} />
      )}
    </div>
  );
}

/** Breaks the lines where nobody decided. */
function gaps(items: QuotaPoint[], seconds: boolean): { at: number; point?: QuotaPoint }[] {
  const step = seconds ? 1_000 : 60_000;
  const out: { at: number; point?: QuotaPoint }[] = [];
  let last: number | undefined;
  for (const point of items) {
    const at = Date.parse(point.at);
    if (last !== undefined && at - last > 2.5 * step) out.push({ at: last + step });
    out.push({ at, point });
    last = at;
  }
  return out;
}
