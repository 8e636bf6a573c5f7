import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../ui/marks";
import { ProblemBox } from "../../ui/states";
import { useSceneHistory } from "./api";
import { Plot } from "./Plot";
import { joined, minutesOf, secondOf, withSecond, type Moment } from "./split";
import type { Scene, SceneLink } from "./types";

const spans = [15, 60, 360, 1440] as const;

/** Nobody asked for anything: a gap, not a split of nothing. */
const quiet = (m: Moment) => Object.keys(m.nodes).length === 0;

/** How the scene's time is split among its points: by minute out of history, by second since the page was opened. */
export default function SplitTab({ scene, link }: { scene: Scene; link: SceneLink }) {
  const { t } = useTranslation();
  const [minutes, setMinutes] = useState<number>(15);
  const [seconds, setSeconds] = useState<Moment[]>([]);
  const history = useSceneHistory(scene.name, link.idc, minutes);
  useEffect(
    () => setSeconds((old) => withSecond(old, secondOf(link, scene.statistic))),
    [link, scene.statistic],
  );
  const past = useMemo(
    () => (history.data ? minutesOf(scene.graph, history.data, scene.statistic) : []),
    [scene, history.data],
  );
  const moments = useMemo(() => joined(past, seconds), [past, seconds]);
  const names = useMemo(() => scene.graph.nodes.filter((n) => !n.external).map((n) => n.id), [scene.graph]);
  const split = useMemo(
    () => ({
      xAxis: { type: "time" },
      yAxis: { type: "value", name: "ms" },
      series: [
        ...names.map((id) => ({
          name: id,
          type: "line",
          showSymbol: false,
          stack: "split",
          areaStyle: { opacity: 0.35 },
          lineStyle: { width: 1 },
          data: moments.map((m) => [m.at, quiet(m) ? null : (m.nodes[id] ?? 0)]),
        })),
        {
          name: t("scenes.actual"),
          type: "line",
          showSymbol: false,
          lineStyle: { width: 3 },
          data: moments.map((m) => [m.at, m.actual ?? null]),
        },
        {
          name: t("scenes.target"),
          type: "line",
          showSymbol: false,
          step: "end",
          lineStyle: { type: "dashed", width: 2 },
          data: moments.map((m) => [m.at, m.target ?? null]),
        },
      ],
    }),
    [moments, names, t],
  );
  const front = useMemo(
    () => ({
      xAxis: { type: "time" },
      yAxis: [
        { type: "value", name: "%", min: 0 },
        {
          type: "value",
          name: t("scenes.gear"),
          min: 1,
          max: Math.max(link.steps, 2),
          minInterval: 1,
          inverse: true,
          splitLine: { show: false },
        },
      ],
      series: [
        {
          name: t("scenes.timeouts"),
          type: "line",
          showSymbol: false,
          data: moments.map((m) => [m.at, m.late === undefined ? null : m.late * 100]),
          ...(scene.max_timeouts && {
            markLine: {
              symbol: "none",
              label: {
                position: "insideStartTop",
                formatter: `≤ ${(scene.max_timeouts * 100).toFixed(1)} %`,
              },
              data: [{ yAxis: scene.max_timeouts * 100 }],
            },
          }),
        },
        {
          name: t("scenes.gear"),
          type: "line",
          showSymbol: false,
          step: "end",
          yAxisIndex: 1,
          lineStyle: { type: "dashed" },
          data: moments.map((m) => [m.at, m.step ?? null]),
        },
      ],
    }),
    [moments, link.steps, scene.max_timeouts, t],
  );
  return (
    <>
      <Card
        title={t("scenes.tabs.split")}
        actions={
          <select
            className="native"
            aria-label={t("scenes.splitSpan")}
            value={minutes}
            onChange={(e) => setMinutes(Number(e.target.value))}
          >
            {spans.map((m) => (
              <option key={m} value={m}>
                {t("scenes.lastMinutes", { count: m })}
              </option>
            ))}
          </select>
        }
      >
        {history.error && <ProblemBox error={history.error} />}
        <p className="soft">{t("scenes.splitHint")}</p>
        <Plot label={t("scenes.tabs.split")} option={split} />
      </Card>
      <Card title={t("scenes.frontOverTime")}>
        <Plot label={t("scenes.frontOverTime")} option={front} />
      </Card>
    </>
  );
}
