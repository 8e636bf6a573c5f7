import { useCallback } from "react";
import { useTranslation } from "react-i18next";
import { share } from "../../ui/format";
import { fitOf } from "./rules";
import type { QuotaCalibration, QuotaGroup } from "./types";
import { digits } from "./units";
import { axis, tip, useChart, type Ink } from "./useChart";

/** Consumption against CPU with the line that was fitted and the budget that is read off it. */
export default function FitPlot({
  group,
  calibration: c,
}: {
  group: QuotaGroup;
  calibration: QuotaCalibration;
}) {
  const { t } = useTranslation();
  const build = useCallback(
    (ink: Ink) => {
      const f = fitOf(group, c);
      const [main, warm, cool, hot] = ink.series;
      const line = (name: string, data: [number, number][], color: string, type: string, width = 1.4) => ({
        name,
        type: "line",
        silent: true,
        showSymbol: false,
        lineStyle: { color, type, width },
        itemStyle: { color },
        data,
      });
      const upright = (x: number, label: string, color: string, type: string) => ({
        xAxis: x,
        lineStyle: { color, type, width: 1.4 },
        label: { formatter: label, color: ink.text, fontSize: 11, position: "end" },
      });
      const marks = [upright(f.budget, t("quota.fit.budget"), cool!, "solid")];
      // Two labels of the same place would lie on each other.
      const apart = f.suggested !== undefined && Math.abs(f.suggested - f.budget) > 0.12 * f.end;
      if (f.suggested !== undefined && f.suggested <= f.end)
        marks.push(upright(f.suggested, apart ? t("quota.fit.suggested") : "", warm!, "dashed"));
      return {
        grid: { left: 58, right: 30, top: 26, bottom: 42 },
        tooltip: {
          ...tip(ink),
          trigger: "item",
          formatter: (p: { value: [number, number] }) =>
            `${digits(p.value[0])} ${t("quota.unit.candidatesPerSecond")}<br>CPU ${share(p.value[1], 1)}`,
        },
        xAxis: {
          ...axis(ink),
          type: "value",
          min: 0,
          max: f.end,
          name: t("quota.fit.x"),
          nameLocation: "middle",
          nameGap: 26,
          nameTextStyle: { color: ink.soft, fontSize: 11 },
          axisLabel: {
            color: ink.soft,
            fontSize: 11,
            hideOverlap: true,
            showMaxLabel: false,
            formatter: digits,
          },
        },
        yAxis: {
          type: "value",
          min: 0,
          max: 1,
          interval: 0.25,
          axisLabel: { color: ink.soft, fontSize: 11, formatter: (v: number) => share(v, 0) },
          splitLine: { lineStyle: { color: ink.line } },
        },
        series: [
          {
            name: t("quota.fit.readings"),
            type: "scatter",
            symbolSize: 4,
            itemStyle: { color: main, opacity: 0.55 },
            data: (c.readings ?? []).map((r) => [r.consumed, r.cpu]),
            markLine: { symbol: "none", silent: true, data: marks },
          },
          line(t("quota.fit.line"), f.line, warm!, "solid", 1.8),
          line(t("quota.fit.band"), f.upper, warm!, "dotted"),
          line(t("quota.fit.band"), f.lower, warm!, "dotted"),
          line(
            t("quota.fit.watermark"),
            [
              [0, c.watermark],
              [f.end, c.watermark],
            ],
            hot!,
            "dashed",
          ),
        ],
      };
    },
    [group, c, t],
  );
  const box = useChart(build);
  return (
    <figure className="quota-plot">
      <figcaption>
        <span>{t("quota.fit.legend", { watermark: share(c.watermark, 0) })}</span>
      </figcaption>
      <div className="chart tall" ref={box} role="img" aria-label={t("quota.fit.title")} />
    </figure>
  );
}
