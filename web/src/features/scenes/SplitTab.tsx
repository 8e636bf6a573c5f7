import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Card } from "../../ui/marks";
import { figure } from "./format";
import { Plot } from "./Plot";
import type { SceneLink } from "./types";

interface Second {
  at: number;
  target: number;
  actual?: number;
  nodes: Record<string, number>;
}

const kept = 600;

/** How the scene's time is split among its points, second by second since the page was opened. */
export default function SplitTab({ link, statistic }: { link: SceneLink; statistic?: string }) {
  const { t } = useTranslation();
  const [seconds, setSeconds] = useState<Second[]>([]);
  useEffect(() => {
    const at = link.live ? Date.parse(link.live.at) : 0;
    if (!at) return;
    const one: Second = { at, target: link.effective_ms, actual: figure(link.live, statistic), nodes: {} };
    for (const n of link.nodes) if (!n.external && n.live?.count) one.nodes[n.id] = n.live.rt_mean_ms;
    setSeconds((old) => (old.at(-1)?.at === at ? old : [...old.slice(-kept), one]));
  }, [link, statistic]);
  const names = useMemo(() => link.nodes.filter((n) => !n.external).map((n) => n.id), [link.nodes]);
  const option = useMemo(
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
          data: seconds.map((s) => [s.at, s.nodes[id] ?? 0]),
        })),
        {
          name: t("scenes.actual"),
          type: "line",
          showSymbol: false,
          data: seconds.map((s) => [s.at, s.actual ?? null]),
        },
        {
          name: t("scenes.target"),
          type: "line",
          showSymbol: false,
          step: "end",
          lineStyle: { type: "dashed" },
          data: seconds.map((s) => [s.at, s.target]),
        },
      ],
    }),
    [seconds, names, t],
  );
  return (
    <Card title={t("scenes.tabs.split")}>
      <p className="soft">{t("scenes.splitHint")}</p>
      <Plot label={t("scenes.tabs.split")} option={option} />
    </Card>
  );
}
