import { Button, Slider } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { DataTable, type Column } from "../../ui/DataTable";
import { ms, share, statisticOf } from "../../ui/format";
import { Card, Tile } from "../../ui/marks";
import { Empty } from "../../ui/states";
import { Plot } from "./Plot";
import type { AllocationTable } from "./types";

type Line = AllocationTable["rows"][number]["points"][number] & { name: string };

interface Props {
  table: AllocationTable;
  beside?: AllocationTable; // drawn with it
  target?: number; // in force
  onStage?: (target: number) => void;
}

/** What each target buys, and, at the one that the slider asks for, who gets how much time. */
export function WhatIf({ table, beside, target, onStage }: Props) {
  const { t } = useTranslation();
  const first = table.rows[0]?.target_ms ?? 0;
  const last = table.rows.at(-1)?.target_ms ?? 0;
  const [moved, setMoved] = useState<number>();
  const wished = Math.round(target ?? first);
  const asked = moved ?? wished;
  const at = Math.min(Math.max(asked, first), last);
  const row = table.rows[at - first];
  const stands = table.rows[Math.min(Math.max(wished, first), last) - first];
  const mark = useMemo(
    () => ({ symbol: "none", label: { formatter: `${at} ms` }, data: [{ xAxis: at }] }),
    [at],
  );
  const curve = useMemo(() => {
    const line = (
      name: string,
      type: string,
      of: (r: AllocationTable["rows"][number]) => number | null,
      more = {},
    ) => ({
      name,
      type: "line",
      showSymbol: false,
      lineStyle: { type },
      data: table.rows.map((r) => [r.target_ms, of(r)]),
      ...more,
    });
    return {
      xAxis: { type: "value", min: first, max: last, name: "ms" },
      yAxis: [
        { type: "value", name: t("scenes.effect"), scale: true },
        { type: "value", name: t("scenes.work"), scale: true, splitLine: { show: false } },
      ],
      series: [
        line(t("scenes.effect"), "solid", (r) => r.effect, { markLine: mark }),
        line(t("scenes.isolated"), "dashed", (r) => r.isolated_effect ?? null),
        line(t("scenes.work"), "dotted", (r) => r.work_core_ms, { yAxisIndex: 1 }),
        ...(beside
          ? [
              line(`${t("scenes.effect")} # ${beside.number}`, "solid", () => null, {
                data: beside.rows.map((r) => [r.target_ms, r.effect]),
              }),
            ]
          : []),
      ],
    };
  }, [table, beside, first, last, mark, t]);
  const split = useMemo(
    () => ({
      xAxis: { type: "value", min: first, max: last, name: "ms" },
      yAxis: { type: "value", name: "ms" },
      series: table.points.map((name, i) => ({
        name,
        type: "line",
        showSymbol: false,
        stack: "split",
        areaStyle: { opacity: 0.35 },
        lineStyle: { width: 1 },
        data: table.rows.map((r) => [r.target_ms, r.points[i]?.rt_ms ?? 0]),
        ...(i === 0 && { markLine: mark }),
      })),
    }),
    [table, first, last, mark],
  );
  const columns = useMemo<Column<Line>[]>(
    () => [
      { key: "name", title: t("scenes.point"), render: (p) => p.name },
      { key: "level", title: t("scenes.level"), render: (p) => p.level, num: true },
      { key: "rt", title: t("scenes.meanRt"), render: (p) => ms(p.rt_ms), num: true },
      { key: "setpoint", title: t("scenes.setpoint"), render: (p) => ms(p.setpoint_ms), num: true },
      { key: "effect", title: t("scenes.effect"), render: (p) => p.effect.toFixed(4), num: true },
      { key: "perms", title: t("scenes.perMs"), render: (p) => p.effect_per_ms.toFixed(5), num: true },
      {
        key: "percore",
        title: t("scenes.perCore"),
        render: (p) => p.effect_per_core_s.toFixed(3),
        num: true,
      },
      { key: "cut", title: t("scenes.cut"), render: (p) => ms(p.cut_core_ms), num: true },
      { key: "idle", title: t("scenes.idle"), render: (p) => ms(p.idle_core_ms), num: true },
    ],
    [t],
  );
  if (!row) return <Empty title={t("scenes.noTable")} />;
  const against = (now: number, then: number | undefined) =>
    then && at !== stands?.target_ms
      ? `${now >= then ? "+" : "−"}${Math.abs((now / then - 1) * 100).toFixed(1)} %`
      : undefined;
  return (
    <>
      <Card
        title={t("scenes.curve")}
        actions={
          <>
            <Button disabled={moved === undefined} onClick={() => setMoved(undefined)}>
              {t("scenes.backToTarget")}
            </Button>
            <Button type="primary" disabled={!onStage || at === wished} onClick={() => onStage?.(at)}>
              {t("scenes.stage", { target: at })}
            </Button>
          </>
        }
      >
        <Plot label={t("scenes.curve")} option={curve} />
        <label>
          {t("scenes.whatIf")} <strong>{at} ms</strong>{" "}
          {asked !== at && <span className="warning">{t("scenes.rowClamped", { row: at })}</span>}
          <Slider
            min={first}
            max={last}
            value={at}
            onChange={setMoved}
            ariaLabelForHandle={t("scenes.whatIf")}
          />
        </label>
        <div className="tiles">
          <Tile
            label={t("scenes.effect")}
            value={row.effect.toFixed(3)}
            note={against(row.effect, stands?.effect)}
          />
          <Tile
            label={t("scenes.work")}
            value={ms(row.work_core_ms)}
            note={against(row.work_core_ms, stands?.work_core_ms)}
          />
          <Tile label={t("scenes.perMs")} value={row.effect_per_ms.toFixed(5)} />
          <Tile label={t("scenes.perCore")} value={row.effect_per_core_s.toFixed(3)} />
          <Tile
            label={t("scenes.cut")}
            value={ms(row.cut_core_ms)}
            note={
              row.isolated_cut_core_ms === undefined
                ? undefined
                : t("scenes.isolatedCut", { cut: ms(row.isolated_cut_core_ms) })
            }
          />
          <Tile label={t("scenes.isolated")} value={row.isolated_effect?.toFixed(3) ?? "–"} />
        </div>
        <p className="soft">
          {t("scenes.tableSays", {
            fastest: ms(table.fastest_ms),
            slowest: ms(table.slowest_ms),
            statistic: statisticOf(t, table.statistic),
          })}{" "}
          {table.gap > 0 && t("scenes.gap", { gap: share(table.gap) })} {table.bounded && t("scenes.bounded")}{" "}
          {table.unlinked.length > 0 && t("scenes.unlinked", { points: table.unlinked.join(", ") })}
        </p>
      </Card>
      <Card title={t("scenes.splitByTarget")}>
        <Plot label={t("scenes.splitByTarget")} option={split} />
      </Card>
      <Card title={`${at} ms`} flush>
        <DataTable
          label={`${at} ms`}
          columns={columns}
          rows={row.points.map((p, i) => ({ ...p, name: table.points[i] ?? "" }))}
          rowKey={(p) => p.name}
        />
        {table.calls.length > 0 && (
          <p className="soft" style={{ margin: 12 }}>
            {t("scenes.callTimeouts")}:{" "}
            {table.calls.map((c, i) => `${c} ${ms(row.timeouts_ms[i])}`).join(" · ")}
          </p>
        )}
      </Card>
    </>
  );
}
