import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { DataTable, type Column } from "../../ui/DataTable";
import { dateTime, ms } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { useAllocation, useAllocations, type Tagged } from "./api";
import { Comparison } from "./Comparison";
import { TargetDialog } from "./TargetDialog";
import type { Allocation, SceneLive } from "./types";
import { WhatIf } from "./WhatIf";
import { rebuild } from "./writes";

interface Props {
  tagged: Tagged;
  live: SceneLive;
  target?: number;
}

/** The allocation tables of a scene: what a target buys, what another would, and what was built when. */
export default function AllocationTab(props: Props) {
  const { t } = useTranslation();
  const { scene } = props.tagged;
  const list = useAllocations(scene.name);
  const [asking, setAsking] = useState(false);
  const [staged, setStaged] = useState<number>();
  const may = useCan("claim");
  const [, setParams] = useSearchParams();
  const show = (tab: string) => setParams((p) => (p.set("tab", tab), p), { replace: true });
  const drawn = scene.graph.nodes.length > 0;
  const onRebuild = may ? () => setAsking(true) : undefined;
  return (
    <>
      <Loaded query={list}>
        {(page) =>
          page.items.length === 0 ? (
            <Empty
              title={t("scenes.noTable")}
              action={
                <span className="row">
                  <Button type="primary" onClick={() => show(drawn ? "profiles" : "graph")}>
                    {t(drawn ? "scenes.showProfiles" : "scenes.drawGraph")}
                  </Button>
                  {drawn && (
                    <Button disabled={!onRebuild} onClick={onRebuild}>
                      {t("scenes.rebuild")}
                    </Button>
                  )}
                </span>
              }
            >
              {t(drawn ? "scenes.noTableHint" : "scenes.noGraphHint")}
              <ul>
                {props.live.missing.map((m) => (
                  <li key={`${m.place.app}/${m.place.point}`}>
                    {m.place.app}/{m.place.point}: {said(m.reason)}
                  </li>
                ))}
              </ul>
            </Empty>
          ) : (
            <Tables
              {...props}
              tables={page.items}
              onRebuild={onRebuild}
              onStage={may ? setStaged : undefined}
            />
          )
        }
      </Loaded>
      {asking && (
        <Ask
          title={t("scenes.rebuildTitle", { scene: scene.name })}
          ok={t("scenes.rebuild")}
          needReason
          onOk={(reason) => rebuild(scene.name, reason)}
          onClose={() => setAsking(false)}
        />
      )}
      {staged !== undefined && (
        <TargetDialog tagged={props.tagged} target={`${staged}ms`} onClose={() => setStaged(undefined)} />
      )}
    </>
  );
}

function Tables(
  props: Props & { tables: Allocation[]; onRebuild?: () => void; onStage?: (target: number) => void },
) {
  const { t } = useTranslation();
  const scene = props.tagged.scene.name;
  const newest = props.tables[0]!;
  const [other, setOther] = useState(0);
  const query = useAllocation(scene, newest.number);
  const beside = useAllocation(scene, other);
  const points = props.tagged.scene.graph.nodes.filter((n) => !n.external).length;
  const columns: Column<Allocation>[] = [
    { key: "number", title: "#", render: (a) => a.number, num: true },
    { key: "built", title: t("scenes.built"), render: (a) => dateTime(a.at) },
    { key: "took", title: t("scenes.took"), render: (a) => ms(a.took_ms), num: true },
    { key: "targets", title: t("scenes.targets"), render: (a) => `${a.first_ms} … ${a.to_ms} ms`, num: true },
    { key: "effect", title: t("scenes.effect"), render: (a) => a.effect.toFixed(3), num: true },
    {
      key: "profiles",
      title: t("scenes.learnt"),
      render: (a) => `${a.learned} / ${points}`,
      num: true,
    },
    { key: "oldest", title: t("scenes.oldest"), render: (a) => dateTime(a.oldest_profile) },
    { key: "cause", title: t("scenes.cause"), render: (a) => said(a.cause) },
    {
      key: "export",
      title: t("scenes.export"),
      render: (a) => (
        <span className="row">
          {(["csv", "json"] as const).map((form) => (
            <a
              key={form}
              href={`/api/v1/scenes/${encodeURIComponent(scene)}/allocations/${a.number}/export?format=${form}`}
              aria-label={t("scenes.exportOne", { number: a.number, form: form.toUpperCase() })}
              download
            >
              {form.toUpperCase()}
            </a>
          ))}
        </span>
      ),
    },
  ];
  return (
    <>
      <Loaded query={query}>
        {(table) => (
          <WhatIf
            table={table}
            beside={other > 0 ? beside.data : undefined}
            target={props.target}
            onStage={props.onStage}
          />
        )}
      </Loaded>
      <Card
        title={t("scenes.tables")}
        flush
        actions={
          <>
            <select
              className="native"
              aria-label={t("scenes.compare")}
              value={other}
              onChange={(e) => setOther(Number(e.target.value))}
            >
              <option value={0}>{t("scenes.compare")} …</option>
              {props.tables.slice(1).map((a) => (
                <option key={a.number} value={a.number}>
                  # {a.number} · {dateTime(a.at)}
                </option>
              ))}
            </select>
            <Button disabled={!props.onRebuild} onClick={props.onRebuild}>
              {t("scenes.rebuild")}
            </Button>
          </>
        }
      >
        <DataTable
          label={t("scenes.tables")}
          columns={columns}
          rows={props.tables}
          rowKey={(a) => String(a.number)}
          maxHeight="320px"
        />
      </Card>
      {other > 0 && <Comparison scene={scene} from={other} to={newest.number} />}
    </>
  );
}
