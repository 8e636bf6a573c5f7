import { useCallback } from "react";
import { useDark } from "../../ui/preferences";
import { axis, inks, tip, useChart, type Ink } from "./useChart";

export interface Line {
  name: string;
  points: [number, number | null][];
  step?: boolean;
}

export interface Mark {
  value: number;
  name: string;
}

interface Props {
  title: string;
  note?: string;
  lines: Line[];
  marks?: Mark[];
  format: (v: number) => string;
  /** Of the horizontal axis; a clock when left out. */
  x?: { format: (v: number) => string; end?: number };
  group?: string;
  /** Whether nought belongs to the axis. */
  fromZero?: boolean;
  /** Of the vertical axis, where one is natural. */
  ceiling?: number;
}

const dashes = ["solid", "dashed", "dotted", [6, 2, 2, 2]] as const;
const strokes = [undefined, "5 3", "1.5 2.5", "6 2 2 2"];

/** Lines over time, told apart by dashes as well as colour, with their legend above. */
export default function Plot(props: Props) {
  const { lines, marks, format, x, fromZero = true, ceiling } = props;
  const dark = useDark();
  const build = useCallback(
    (ink: Ink) => ({
      tooltip: {
        ...tip(ink),
        trigger: "axis",
        valueFormatter: (v: unknown) => (typeof v === "number" ? format(v) : "–"),
        ...(x && { axisPointer: { label: { formatter: (p: { value: number }) => x.format(p.value) } } }),
      },
      xAxis: {
        ...axis(ink),
        type: x ? "value" : "time",
        max: x?.end,
        ...(x && { axisLabel: { color: ink.soft, fontSize: 11, formatter: (v: number) => x.format(v) } }),
      },
      yAxis: {
        type: "value",
        min: fromZero ? 0 : undefined,
        max: ceiling,
        interval: ceiling === undefined ? undefined : ceiling / 4,
        scale: !fromZero,
        splitNumber: 3,
        axisLabel: { color: ink.soft, fontSize: 11, formatter: (v: number) => format(v) },
        splitLine: { lineStyle: { color: ink.line } },
      },
      series: [
        ...lines.map((l, i) => ({
          name: l.name,
          type: "line",
          showSymbol: l.points.length < 3,
          symbolSize: 4,
          sampling: "lttb",
          step: l.step ? "end" : undefined,
          lineStyle: { width: 1.6, type: dashes[i % dashes.length] },
          connectNulls: false,
          data: l.points,
        })),
        // A mark is a line of its own, so that the axis always reaches it.
        ...(marks ?? []).map((m) => ({
          name: m.name,
          type: "line",
          silent: true,
          symbol: "none",
          lineStyle: { color: ink.soft, width: 1, type: "dotted" },
          itemStyle: { color: ink.soft },
          data: ends(lines).map((at) => [at, m.value]),
          endLabel: { show: false },
        })),
      ],
    }),
    [lines, marks, format, x, fromZero, ceiling],
  );
  const box = useChart(build, props.group);
  const colors = inks[dark ? "dark" : "light"];
  return (
    <figure className="quota-plot">
      <figcaption>
        <strong>{props.title}</strong>
        {lines.length > 1 &&
          lines.map((l, i) => (
            <span key={l.name} className="key">
              <Stroke color={colors[i % colors.length]!} dash={strokes[i % strokes.length]} />
              {l.name}
            </span>
          ))}
        {(marks ?? []).map((m) => (
          <span key={m.name} className="key">
            <Stroke color="var(--soft)" dash="1.5 2.5" />
            {m.name}
          </span>
        ))}
        {props.note && <span>{props.note}</span>}
      </figcaption>
      <div className="chart" ref={box} role="img" aria-label={props.title} />
    </figure>
  );
}

function Stroke({ color, dash }: { color: string; dash?: string }) {
  return (
    <svg width="18" height="6" aria-hidden="true">
      <line x1="0" x2="18" y1="3" y2="3" stroke={color} strokeWidth="2" strokeDasharray={dash} />
    </svg>
  );
}

function ends(lines: Line[]): number[] {
  const xs = lines.flatMap((l) =>
    l.points.length ? [l.points[0]![0], l.points[l.points.length - 1]![0]] : [],
  );
  return xs.length ? [Math.min(...xs), Math.max(...xs)] : [];
}
