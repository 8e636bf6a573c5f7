import { LineChart, ScatterChart } from "echarts/charts";
import { AxisPointerComponent, GridComponent, MarkLineComponent, TooltipComponent } from "echarts/components";
import { connect, init, use, type EChartsCoreOption, type EChartsType } from "echarts/core";
import { CanvasRenderer } from "echarts/renderers";
import { useEffect, useRef } from "react";
import { useDark } from "../../ui/preferences";

use([
  LineChart,
  ScatterChart,
  GridComponent,
  MarkLineComponent,
  TooltipComponent,
  AxisPointerComponent,
  CanvasRenderer,
]);

export const inks = {
  light: ["#0b6e69", "#b45f00", "#5b4bb5", "#b3261e"],
  dark: ["#4fd1c0", "#ffb224", "#a99bff", "#ff8a80"],
};

/** Colours of the theme in force. */
export interface Ink {
  series: string[];
  soft: string;
  line: string;
  text: string;
  surface: string;
}

/** Draws what build says into the returned element; charts with the same group share their pointer. */
export function useChart(build: (ink: Ink) => EChartsCoreOption, group?: string) {
  const box = useRef<HTMLDivElement>(null);
  const chart = useRef<EChartsType>(undefined);
  const dark = useDark();

  useEffect(() => {
    if (!box.current) return;
    const c = init(box.current);
    if (group) {
      c.group = group;
      connect(group);
    }
    chart.current = c;
    const observer = new ResizeObserver(() => c.resize());
    observer.observe(box.current);
    return () => {
      observer.disconnect();
      c.dispose();
    };
  }, [group]);

  useEffect(() => {
    const style = getComputedStyle(document.documentElement);
    const of = (name: string) => style.getPropertyValue(name).trim();
    const ink = {
      series: inks[dark ? "dark" : "light"],
      soft: of("--soft"),
      line: of("--line"),
      text: of("--text"),
      surface: of("--surface"),
    };
    chart.current?.setOption(
      {
        animation: false,
        color: ink.series,
        grid: { left: 58, right: 14, top: 12, bottom: 24 },
        ...build(ink),
      },
      { replaceMerge: ["series"] },
    );
  }, [build, dark]);

  return box;
}

export const axis = (ink: Ink) => ({
  axisLine: { lineStyle: { color: ink.line } },
  axisLabel: { color: ink.soft, fontSize: 11, hideOverlap: true },
  splitLine: { show: false },
});

export const tip = (ink: Ink) => ({
  confine: true,
  backgroundColor: ink.surface,
  borderColor: ink.line,
  textStyle: { color: ink.text, fontSize: 12 },
});
