import { LineChart } from "echarts/charts";
import { GridComponent, MarkLineComponent, TooltipComponent, AxisPointerComponent } from "echarts/components";
import { connect, init, use, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { useDark } from "../../ui/preferences";

use([LineChart, GridComponent, MarkLineComponent, TooltipComponent, AxisPointerComponent, CanvasRenderer]);

export interface Line {
  name: string;
  values: (number | null)[];
  step?: boolean;
  dashed?: boolean;
}

interface Props {
  label: string;
  at: string[];
  /** What the axis spans, however few values there are. */
  from: string;
  to: string;
  lines: Line[];
  events: { at: string; label: string }[];
  format: (v: number) => string;
  max?: number;
  whole?: boolean; // counts have no fractions
  onPick?: (at: string) => void;
}

const group = "point";
const colors = {
  light: ["#0b6e69", "#b45f00", "#5b4bb5", "#b3261e"],
  dark: ["#4fd1c0", "#ffb224", "#a99bff", "#ff8a80"],
};

/** One series chart over time; charts of a page share their pointer. */
export default function Chart(props: Props) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const pick = useRef(props.onPick);
  const dark = useDark();

  useEffect(() => {
    pick.current = props.onPick;
  });

  useEffect(() => {
    if (!box.current) return;
    const c = init(box.current);
    c.group = group;
    connect(group);
    chart.current = c;
    const observer = new ResizeObserver(() => c.resize());
    observer.observe(box.current);
    c.getZr().on("click", (e) => {
      const value = c.convertFromPixel({ gridIndex: 0 }, [e.offsetX, e.offsetY])?.[0];
      if (typeof value === "number") pick.current?.(new Date(Math.round(value / 1000) * 1000).toISOString());
    });
    return () => {
      observer.disconnect();
      c.dispose();
    };
  }, []);

  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const soft = style.getPropertyValue("--soft").trim();
    const line = style.getPropertyValue("--line").trim();
    const surface = style.getPropertyValue("--surface").trim();
    const text = style.getPropertyValue("--text").trim();
    chart.current?.setOption(
      {
        animation: false,
        color: colors[dark ? "dark" : "light"],
        grid: { left: 54, right: 12, top: 12, bottom: 22 },
        tooltip: {
          trigger: "axis",
          confine: true,
          backgroundColor: surface,
          borderColor: line,
          textStyle: { color: text, fontSize: 12 },
          valueFormatter: (v: unknown) => (typeof v === "number" ? props.format(v) : "–"),
        },
        xAxis: {
          type: "time",
          min: props.from,
          max: props.to,
          axisLine: { lineStyle: { color: line } },
          axisLabel: { color: soft, fontSize: 11, hideOverlap: true },
          splitLine: { show: false },
        },
        yAxis: {
          type: "value",
          min: 0,
          max: props.max,
          splitNumber: 3,
          interval: props.max === undefined ? undefined : props.max / 4,
          minInterval: props.whole ? 1 : undefined,
          axisLabel: { color: soft, fontSize: 11, formatter: (v: number) => props.format(v) },
          splitLine: { lineStyle: { color: line } },
        },
        series: props.lines.map((l, i) => ({
          name: l.name,
          type: "line",
          showSymbol: l.values.length < 3,
          symbolSize: 4,
          step: l.step ? "end" : undefined,
          lineStyle: { width: 1.6, type: l.dashed ? "dashed" : "solid" },
          connectNulls: false,
          data: l.values.map((v, j) => [props.at[j], v]),
          markLine:
            i === 0
              ? {
                  silent: true,
                  symbol: "none",
                  label: { show: false },
                  lineStyle: { color: soft, type: "dotted", width: 1 },
                  data: props.events.map((e) => ({ xAxis: e.at, name: e.label })),
                }
              : undefined,
        })),
      },
      { replaceMerge: ["series"] },
    );
  }, [props, dark]);

  return <div className="chart" ref={box} role="img" aria-label={props.label} />;
}
