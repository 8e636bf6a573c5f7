import { LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { connect, init, use as register, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { useDark } from "../../ui/preferences";
import { wallOf } from "./calendar";

register([LineChart, GridComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

const inks = { light: ["#0b6e69", "#b45f00"], dark: ["#4fd1c0", "#ffb224"] };

interface Props {
  title: string;
  zone: string;
  at: number[];
  /** The first is drawn whole, the second dashed. */
  lines: { name: string; values: (number | null)[]; step?: boolean }[];
  marks?: { at: number; name: string }[];
  format: (v: number) => string;
  max?: number;
  note?: string;
}

/** Two courses of one quantity; charts of the page share their pointer. */
export default function Plot({ title, zone, at, lines, marks, format, max, note }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const dark = useDark();
  const colors = inks[dark ? "dark" : "light"];
  useEffect(() => {
    if (!box.current) return;
    const c = init(box.current);
    c.group = "rehearsal";
    connect("rehearsal");
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
    const clock = (v: number) => wallOf(v, zone).slice(11);
    chart.current?.setOption(
      {
        animation: false,
        color: inks[dark ? "dark" : "light"],
        grid: { left: 58, right: 12, top: 22, bottom: 24 },
        tooltip: {
          trigger: "axis",
          confine: true,
          backgroundColor: of("--surface"),
          borderColor: of("--line"),
          textStyle: { color: of("--text"), fontSize: 12 },
          axisPointer: { label: { formatter: (p: { value: number }) => clock(p.value) } },
          valueFormatter: (v: unknown) => (typeof v === "number" ? format(v) : "–"),
        },
        xAxis: {
          type: "value",
          min: at[0],
          max: at[at.length - 1],
          axisLine: { lineStyle: { color: of("--line") } },
          axisLabel: {
            color: of("--soft"),
            fontSize: 11,
            hideOverlap: true,
            formatter: (v: number) => clock(v).slice(0, 5),
          },
          splitLine: { show: false },
        },
        yAxis: {
          type: "value",
          min: 0,
          max,
          splitNumber: 3,
          axisLabel: { color: of("--soft"), fontSize: 11, formatter: (v: number) => format(v) },
          splitLine: { lineStyle: { color: of("--line") } },
        },
        series: lines.map((l, i) => ({
          name: l.name,
          type: "line",
          showSymbol: false,
          step: l.step ? "end" : undefined,
          lineStyle: { width: 1.6, type: i === 0 ? "solid" : "dashed" },
          connectNulls: false,
          data: l.values.map((v, k) => [at[k], v]),
          markLine:
            i === 0 && marks?.length
              ? {
                  silent: true,
                  symbol: "none",
                  lineStyle: { color: of("--soft"), type: "dotted", width: 1 },
                  label: { show: true, color: of("--soft"), fontSize: 10, formatter: "{b}" },
                  data: marks.map((m) => ({ xAxis: m.at, name: m.name })),
                }
              : undefined,
        })),
      },
      { replaceMerge: ["series"] },
    );
  }, [at, lines, marks, format, max, zone, dark]);
  return (
    <figure className="plan-plot card">
      <div className="body">
        <figcaption>
          <strong>{title}</strong>
          {lines.map((l, i) => (
            <span key={l.name} className="key">
              <svg width="18" height="6" aria-hidden="true">
                <line
                  x1="0"
                  x2="18"
                  y1="3"
                  y2="3"
                  stroke={colors[i]}
                  strokeWidth="2"
                  strokeDasharray={i === 0 ? undefined : "5 3"}
                />
              </svg>
              {l.name}
            </span>
          ))}
          {note && <span>{note}</span>}
        </figcaption>
        <div className="chart" ref={box} role="img" aria-label={title} />
      </div>
    </figure>
  );
}
