import { useTranslation } from "react-i18next";
import type { PointKey } from "../../api/types";
import { causeOf } from "../../ui/cause";
import { count, ms, share } from "../../ui/format";
import { Loaded } from "../../ui/states";
import { useHistory } from "./api";
import Chart, { type Line } from "./Chart";

const known = (values: number[] | null | undefined) => (values ?? []).map((v) => (v < 0 ? null : v));

/** Level, RT, load and value over time with the changes that explain them. A click asks "why" at that second. */
export default function HistoryCharts(props: {
  id: PointKey;
  minutes: number;
  onPick: (at: string) => void;
}) {
  const { t } = useTranslation();
  const query = useHistory(props.id, props.minutes, undefined);
  return (
    <Loaded query={query} rows={6}>
      {(h) => {
        const s = h.series?.[0];
        if (!s?.at?.length) return <div className="state">{t("points.noHistory")}</div>;
        const events = (h.changes ?? []).map((c) => ({ at: c.at, label: causeOf(t, c) }));
        const chart = (
          key: string,
          title: string,
          lines: Line[],
          format: (v: number) => string,
          more?: { max?: number; whole?: boolean },
        ) => (
          <figure key={key} style={{ margin: 0 }}>
            <figcaption className="row soft" style={{ fontSize: 12 }}>
              <strong style={{ color: "var(--text)" }}>{title}</strong>
              {lines.length > 1 && lines.map((l) => l.name).join(" · ")}
            </figcaption>
            <Chart
              label={title}
              at={s.at}
              from={h.from}
              to={h.to}
              lines={lines}
              events={events}
              format={format}
              {...more}
              onPick={props.onPick}
            />
          </figure>
        );
        const setpoint = (s.available_rt_ms ?? []).some((v) => v > 0);
        // Only a point where something is earned reports value; elsewhere it would be a line of zeros.
        const earning = (s.value ?? []).some((v) => v > 0);
        return (
          <>
            <div className="charts">
              {chart(
                "level",
                t("points.level"),
                [{ name: t("points.level"), values: known(s.level), step: true }],
                (v) => String(Math.round(v * 10) / 10),
                { whole: true },
              )}
              {chart(
                "rt",
                "RT",
                [
                  { name: t("points.rtMean"), values: known(s.rt_mean_ms) },
                  { name: "p99", values: known(s.rt_p99_ms) },
                  ...(setpoint
                    ? [{ name: t("points.availableRt"), values: known(s.available_rt_ms), dashed: true }]
                    : []),
                ],
                ms,
              )}
              {chart("qps", "QPS", [{ name: "QPS", values: known(s.qps) }], count)}
              {chart("cpu", "CPU", [{ name: "CPU", values: known(s.cpu) }], (v) => share(v, 0), {
                max: 1,
              })}
              {earning &&
                chart(
                  "value",
                  t("points.value"),
                  [{ name: t("points.value"), values: known(s.value) }],
                  count,
                )}
              {chart(
                "lost",
                t("points.lost"),
                [
                  { name: t("points.timeouts"), values: known(s.timeouts) },
                  { name: t("points.errors"), values: known(s.errors) },
                  { name: t("points.shed"), values: known(s.shed) },
                ],
                count,
                { whole: true },
              )}
            </div>
            <p className="soft" style={{ margin: "8px 0 0", fontSize: 12 }}>
              {t("points.chartHint")}
            </p>
          </>
        );
      }}
    </Loaded>
  );
}
