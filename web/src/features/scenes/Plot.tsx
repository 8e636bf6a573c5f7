import { LineChart } from "echarts/charts";
import { GridComponent, LegendComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { init, use as register, type EChartsCoreOption, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { useDark } from "../../ui/preferences";

register([LineChart, GridComponent, LegendComponent, MarkLineComponent, TooltipComponent, CanvasRenderer]);

const inks = {
  light: [
    "#0b6e69",
    "#b45f00",
    "#5b4bb5",
    "#b3261e",
    "#2f6f2f",
    "#7a4b00",
    "#00608a",
    "#8a2a6b",
    "#3d4a47",
    "#a0522d",
  ],
  dark: [
    "#4fd1c0",
    "#ffb224",
    "#a99bff",
    "#ff8a80",
    "#8fd48f",
    "#e0b070",
    "#6cc4ee",
    "#f0a0d4",
    "#d0d7d5",
    "#d8a48f",
  ],
};

/** A chart of lines; the option is in echarts' own words. */
export function Plot({ label, option }: { label: string; option: EChartsCoreOption }) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const dark = useDark();
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
    const axis = {
      nameTextStyle: { color: of("--soft") },
      axisLabel: { color: of("--soft") },
      axisLine: { lineStyle: { color: of("--line") } },
    };
    const x = option.xAxis ?? {};
    const y = (Array.isArray(option.yAxis) ? option.yAxis : [option.yAxis ?? {}]) as object[];
    chart.current?.setOption(
      {
        animation: false,
        color: inks[dark ? "dark" : "light"],
        grid: { left: 54, right: 54, top: 34, bottom: 30 },
        legend: { type: "scroll", top: 0, textStyle: { color: of("--text"), fontSize: 11 } },
        tooltip: {
          trigger: "axis",
          confine: true,
          valueFormatter: (v: unknown) => (typeof v === "number" ? String(Number(v.toPrecision(4))) : "–"),
          backgroundColor: of("--surface"),
          borderColor: of("--line"),
          textStyle: { color: of("--text"), fontSize: 12 },
        },
        ...option,
        xAxis: { ...axis, splitLine: { lineStyle: { color: of("--line") } }, ...x },
        yAxis: y.map((one) => ({ ...axis, splitLine: { lineStyle: { color: of("--line") } }, ...one })),
      },
      { replaceMerge: ["series"] },
    );
  }, [option, dark]);
  return <div ref={box} className="scene-plot" role="img" aria-label={label} />;
}
