import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { DataTable, type Column } from "../../ui/DataTable";
import { count, ms, share } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useProfile } from "./api";
import { Plot } from "./Plot";
import type { Profile } from "./types";

type Line = NonNullable<Profile["levels"]>[number] & { level: number };

/** A profile level by level: what it takes, what it earns, and on how many requests that was measured. */
export function ProfileLevels({ id, title }: { id: string; title: string }) {
  const query = useProfile(id);
  return <Loaded query={query}>{(p) => <Levels profile={p} title={title} />}</Loaded>;
}

function Levels({ profile, title }: { profile: Profile; title: string }) {
  const { t } = useTranslation();
  const lines = useMemo<Line[]>(
    () => (profile.levels ?? []).map((l, i) => ({ ...l, level: i + 1 })),
    [profile],
  );
  const option = useMemo(
    () => ({
      xAxis: { type: "value", min: 1, max: Math.max(lines.length, 2), name: t("scenes.level") },
      yAxis: [
        { type: "value", name: "ms" },
        { type: "value", name: t("scenes.effect"), scale: true, splitLine: { show: false } },
      ],
      series: [
        {
          name: t("scenes.meanRt"),
          type: "line",
          showSymbol: false,
          data: lines.map((l) => [l.level, l.rt_mean_ms]),
        },
        {
          name: t("scenes.work"),
          type: "line",
          showSymbol: false,
          lineStyle: { type: "dotted" },
          data: lines.map((l) => [l.level, l.work_core_ms]),
        },
        {
          name: t("scenes.effect"),
          type: "line",
          showSymbol: false,
          yAxisIndex: 1,
          lineStyle: { type: "dashed" },
          data: lines.map((l) => [l.level, l.effect]),
        },
      ],
    }),
    [lines, t],
  );
  const columns = useMemo<Column<Line>[]>(() => {
    const p99 = (l: Line) => Math.max(...l.rt.map((c) => c.at(-1)?.ms ?? 0));
    return [
      { key: "level", title: t("scenes.level"), num: true, render: (l) => l.level },
      { key: "mean", title: t("scenes.meanRt"), num: true, render: (l) => ms(l.rt_mean_ms) },
      { key: "slowest", title: t("scenes.profile.slowest"), num: true, render: (l) => ms(p99(l)) },
      { key: "work", title: t("scenes.work"), num: true, render: (l) => ms(l.work_core_ms) },
      { key: "effect", title: t("scenes.effect"), num: true, render: (l) => l.effect.toFixed(4) },
      {
        key: "output",
        title: t("scenes.profile.output"),
        num: true,
        render: (l) => (l.output ? count(l.output) : "–"),
      },
      {
        key: "samples",
        title: t("scenes.profile.samples"),
        num: true,
        render: (l) => (l.samples ? count(l.samples) : t("scenes.profile.between")),
      },
    ];
  }, [t]);
  return (
    <Card title={t("scenes.profile.of", { point: title })}>
      <p className="soft">
        {t("scenes.profile.classes")}:{" "}
        {profile.classes.map((c) => `${c.name} ${share(c.share, 0)}`).join(" · ")}
        {profile.template && ` · ${profile.template} v${profile.template_version}`}
      </p>
      {profile.warnings.length > 0 && (
        <details className="note warn">
          <summary>{t("scenes.warnings", { count: profile.warnings.length })}</summary>
          <ul>
            {profile.warnings.map((w, i) => (
              <li key={i}>{said(w.message)}</li>
            ))}
          </ul>
        </details>
      )}
      <Plot label={t("scenes.profile.of", { point: title })} option={option} />
      <DataTable
        label={t("scenes.profile.of", { point: title })}
        columns={columns}
        rows={lines}
        rowKey={(l) => String(l.level)}
        maxHeight="320px"
      />
    </Card>
  );
}
