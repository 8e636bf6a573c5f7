import { Button, Select, Slider } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { Ask } from "../../ui/Ask";
import { DataTable, type Column } from "../../ui/DataTable";
import { dateTime, ms } from "../../ui/format";
import { Card, Tile } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { useAllocation, useAllocations, useComparison } from "./api";
import { Plot } from "./Plot";
import { rebuild } from "./writes";
import type { Allocation, AllocationTable, SceneLive } from "./types";

interface Props {
  scene: string;
  live: SceneLive;
  target?: number;
}

export default function AllocationTab(props: Props) {
  const { t } = useTranslation();
  const list = useAllocations(props.scene);
  const [asking, setAsking] = useState(false);
  const may = useCan("claim");
  return (
    <>
      <Loaded query={list}>
        {(page) =>
          page.items.length === 0 ? (
            <Empty title={t("scenes.noTable")}>
              {t("scenes.noTableHint")}
              <ul>
                {props.live.missing.map((m) => (
                  <li key={`${m.place.app}/${m.place.point}`}>
                    {m.place.app}/{m.place.point}: {m.reason}
                  </li>
                ))}
              </ul>
            </Empty>
          ) : (
            <Tables {...props} tables={page.items} onRebuild={may ? () => setAsking(true) : undefined} />
          )
        }
      </Loaded>
      {asking && (
        <Ask
          title={t("scenes.rebuildTitle", { scene: props.scene })}
          ok={t("scenes.rebuild")}
          needReason
          onOk={(reason) => rebuild(props.scene, reason)}
          onClose={() => setAsking(false)}
        />
      )}
    </>
  );
}

function Tables(props: Props & { tables: Allocation[]; onRebuild?: () => void }) {
  const { t } = useTranslation();
  const newest = props.tables[0]!.number;
  const [other, setOther] = useState(0);
  const query = useAllocation(props.scene, newest);
  const comparison = useComparison(props.scene, other, newest);
  const columns: Column<Allocation>[] = [
    { key: "number", title: "#", render: (a) => a.number, num: true },
    { key: "built", title: t("scenes.built"), render: (a) => dateTime(a.at) },
    { key: "took", title: t("scenes.took"), render: (a) => ms(a.took_ms), num: true },
    { key: "effect", title: t("scenes.effect"), render: (a) => a.effect.toFixed(3), num: true },
    { key: "oldest", title: t("scenes.oldest"), render: (a) => dateTime(a.oldest_profile) },
    { key: "cause", title: t("scenes.cause"), render: (a) => a.cause },
  ];
  return (
    <>
      <Loaded query={query}>{(table) => <Curve table={table} target={props.target} />}</Loaded>
      <Card
        title={t("scenes.tables")}
        flush
        actions={
          <>
            <Select
              aria-label={t("scenes.compare")}
              placeholder={t("scenes.compare")}
              style={{ minWidth: 180 }}
              value={other || undefined}
              onChange={setOther}
              options={props.tables.slice(1).map((a) => ({ value: a.number, label: `# ${a.number}` }))}
            />
            <Button disabled={!props.onRebuild} onClick={props.onRebuild}>
              {t("scenes.rebuild")}
            </Button>
          </>
        }
      >
        {other > 0 && (
          <div className="body">
            <Loaded query={comparison}>
              {(c) => (
                <>
                  <strong>
                    {c.items.length ? t("scenes.differs", { n: c.items.length }) : t("scenes.same")}
                  </strong>
                  <ul>
                    {c.items.slice(0, 20).map((d) => (
                      <li key={d.target_ms}>
                        {d.target_ms} ms: {d.effect_from.toFixed(4)} → {d.effect_to.toFixed(4)}{" "}
                        {d.moves.map((m) => `${m.point} ${m.from} → ${m.to}`).join(", ")}
                      </li>
                    ))}
                  </ul>
                </>
              )}
            </Loaded>
          </div>
        )}
        <DataTable
          label={t("scenes.tables")}
          columns={columns}
          rows={props.tables}
          rowKey={(a) => String(a.number)}
        />
      </Card>
    </>
  );
}

type Line = AllocationTable["rows"][number]["points"][number] & { name: string };

function Curve({ table, target }: { table: AllocationTable; target?: number }) {
  const { t } = useTranslation();
  const first = table.rows[0]?.target_ms ?? 0;
  const last = table.rows.at(-1)?.target_ms ?? 0;
  const [asked, setAsked] = useState(Math.round(target ?? first));
  const at = Math.min(Math.max(asked, first), last);
  const row = table.rows[at - first];
  const option = useMemo(
    () => ({
      xAxis: { type: "value", min: first, max: last, name: "ms" },
      yAxis: [
        { type: "value", name: t("scenes.effect"), scale: true },
        { type: "value", name: t("scenes.work"), scale: true, splitLine: { show: false } },
      ],
      series: [
        {
          name: t("scenes.effect"),
          type: "line",
          showSymbol: false,
          data: table.rows.map((r) => [r.target_ms, r.effect]),
          markLine: { symbol: "none", label: { formatter: `${at} ms` }, data: [{ xAxis: at }] },
        },
        {
          name: t("scenes.isolated"),
          type: "line",
          showSymbol: false,
          lineStyle: { type: "dashed" },
          data: table.rows.map((r) => [r.target_ms, r.isolated_effect ?? null]),
        },
        {
          name: t("scenes.work"),
          type: "line",
          showSymbol: false,
          yAxisIndex: 1,
          lineStyle: { type: "dotted" },
          data: table.rows.map((r) => [r.target_ms, r.work_core_ms]),
        },
      ],
    }),
    [table, first, last, at, t],
  );
  const columns = useMemo<Column<Line>[]>(
    () => [
      { key: "name", title: t("scenes.point"), render: (p) => p.name },
      { key: "level", title: t("scenes.level"), render: (p) => p.level, num: true },
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
  return (
    <>
      <Card title={t("scenes.curve")}>
        <Plot label={t("scenes.curve")} option={option} />
        <label>
          {t("scenes.whatIf")} <strong>{at} ms</strong>
          <Slider
            min={first}
            max={last}
            value={at}
            onChange={setAsked}
            ariaLabelForHandle={t("scenes.whatIf")}
          />
        </label>
        <div className="tiles">
          <Tile label={t("scenes.effect")} value={row.effect.toFixed(3)} />
          <Tile label={t("scenes.perMs")} value={row.effect_per_ms.toFixed(5)} />
          <Tile label={t("scenes.perCore")} value={row.effect_per_core_s.toFixed(3)} />
          <Tile label={t("scenes.cut")} value={ms(row.cut_core_ms)} />
          <Tile label={t("scenes.isolated")} value={row.isolated_effect?.toFixed(3) ?? "–"} />
        </div>
      </Card>
      <Card title={`${at} ms`} flush>
        <DataTable
          label={`${at} ms`}
          columns={columns}
          rows={row.points.map((p, i) => ({ ...p, name: table.points[i] ?? "" }))}
          rowKey={(p) => p.name}
        />
      </Card>
    </>
  );
}
