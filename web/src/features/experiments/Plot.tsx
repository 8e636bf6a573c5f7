import { LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { init, use as register, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { useDark } from "../../ui/preferences";

register([LineChart, GridComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

const inks = {
  light: ["#51625f", "#0b6e69", "#b45f00", "#5b4bb5", "#b3261e", "#1b6e3c", "#8a5300", "#14211f"],
  dark: ["#9db0ad", "#4fd1c0", "#ffb224", "#a99bff", "#ff8a80", "#6fd393", "#f5b948", "#e4ecea"],
};
const dashes = ["dashed", "solid", "dotted", [6, 2, 2, 2]] as const;
const strokes = ["5 3", undefined, "1.5 2.5", "6 2 2 2"];

export interface Line {
  name: string;
  ink: number; // the arm's place
  points: [number, number | null][];
  edge?: boolean; // an end of an interval: thin, and without a place in the legend
}

interface Props {
  title: string;
  lines: Line[];
  format: (v: number) => string;
  span: [number, number]; // of the axis: a single point would have days around it
  zero?: boolean; // a line at nought
}

/** Lines over time, told apart by dashes as well as colour. */
export default function Plot({ title, lines, format, span, zero }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const dark = useDark();
  const colors = inks[dark ? "dark" : "light"];
  useEffect(() => {
    if (!box.current) return;
    const c = init(box.current);
    chart.current = c;
    const observer = new ResizeObserver(() => c.resize());
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      c.dispose();
    };
  }, []);
  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string) => style.getPropertyValue(name).trim();
    chart.current?.setOption(
      {
        animation: false,
        grid: { left: 64, right: 14, top: 12, bottom: 24 },
        tooltip: {
          trigger: "axis",
          confine: true,
          backgroundColor: of("--surface"),
          borderColor: of("--line"),
          textStyle: { color: of("--text"), fontSize: 12 },
          valueFormatter: (v: unknown) => (typeof v === "number" ? format(v) : "–"),
        },
        xAxis: {
          type: "time",
          min: span[0],
          max: span[1],
          axisLine: { lineStyle: { color: of("--line") } },
          axisLabel: { color: of("--soft"), fontSize: 11, hideOverlap: true },
          splitLine: { show: false },
        },
        yAxis: {
          type: "value",
          scale: !zero,
          splitNumber: 3,
          axisLabel: { color: of("--soft"), fontSize: 11, formatter: (v: number) => format(v) },
          splitLine: { lineStyle: { color: of("--line") } },
        },
        series: lines.map((l, i) => ({
          name: l.name,
          type: "line",
          showSymbol: l.points.length < 3,
          symbolSize: l.edge ? 3 : 5,
          connectNulls: false,
          itemStyle: { color: colors[l.ink % colors.length] },
          lineStyle: {
            color: colors[l.ink % colors.length],
            width: l.edge ? 1 : 1.8,
            opacity: l.edge ? 0.75 : 1,
            type: l.edge ? "dotted" : dashes[l.ink % dashes.length],
          },
          data: l.points,
          markLine:
            zero && i === 0
              ? {
                  silent: true,
                  symbol: "none",
                  label: { show: false },
                  lineStyle: { color: of("--soft"), type: "solid", width: 1 },
                  data: [{ yAxis: 0 }],
                }
              : undefined,
        })),
      },
      { replaceMerge: ["series"] },
    );
  }, [lines, format, span, zero, dark, colors]);
  return (
    <figure className="experiment-plot">
      <figcaption>
        {lines
          .filter((l) => !l.edge)
          .map((l) => (
            <span key={l.name} className="key">
              <svg width="18" height="6" aria-hidden="true">
                <line
                  x1="0"
                  x2="18"
                  y1="3"
                  y2="3"
                  stroke={colors[l.ink % colors.length]}
                  strokeWidth="2"
                  strokeDasharray={strokes[l.ink % strokes.length]}
                />
              </svg>
              {l.name}
            </span>
          ))}
      </figcaption>
      <div className="chart" ref={box} role="img" aria-label={title} />
    </figure>
  );
}
