import { Button, Select } from "antd";
import { lazy, Suspense, useCallback, useState } from "react";
import { useTranslation } from "react-i18next";
import { useParams, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { ms, share, statisticOf } from "../../ui/format";
import { Card, PageHead, Tag, Tile } from "../../ui/marks";
import { Empty, Loaded, Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { useScene, useSceneLive, type Tagged } from "./api";
import { figure, late } from "./format";
import { pointPath } from "./links";
import { LinkTable } from "./LinkTable";
import { Progress } from "./Progress";
import { TargetDialog } from "./TargetDialog";
import type { SceneLink, SceneLive } from "./types";
import "./scenes.css";

const Flow = lazy(() => import("./Flow"));
const SplitTab = lazy(() => import("./SplitTab"));
const AllocationTab = lazy(() => import("./AllocationTab"));
const GraphTab = lazy(() => import("./GraphTab"));
const ProfilesTab = lazy(() => import("./ProfilesTab"));
const SettingsTab = lazy(() => import("./SettingsTab"));

const tabs = ["link", "table", "split", "allocation", "profiles", "graph", "settings"] as const;

export function ScenePage() {
  const { scene = "" } = useParams();
  const query = useScene(scene);
  const live = useSceneLive(scene);
  return (
    <div className="page">
      <Loaded query={query}>
        {(tagged) => (
          <Loaded query={live}>
            {(l) => (
              <One
                key={tagged.scene.id}
                tagged={tagged}
                live={l}
                ahead={Date.parse(l.now) - live.dataUpdatedAt}
              />
            )}
          </Loaded>
        )}
      </Loaded>
    </div>
  );
}

function One({ tagged, live, ahead }: { tagged: Tagged; live: SceneLive; ahead: number }) {
  const { t } = useTranslation();
  const { scene } = tagged;
  const [params, setParams] = useSearchParams();
  const [changing, setChanging] = useState(false);
  const may = useCan("claim");
  const tab = tabs.find((x) => x === params.get("tab")) ?? "link";
  const link: SceneLink | undefined = live.links.find((l) => l.idc === params.get("idc")) ?? live.links[0];
  const idc = link?.idc ?? "";
  const path = useCallback((id: string) => pointPath(scene, idc, id), [scene, idc]);
  const set = (key: string, value: string, none: string) =>
    setParams(
      (p) => {
        if (value === none) p.delete(key);
        else p.set(key, value);
        return p;
      },
      { replace: true },
    );
  return (
    <>
      <PageHead
        title={scene.name}
        actions={
          <>
            {live.links.length > 1 && (
              <Select
                aria-label={t("scenes.idc")}
                value={link?.idc}
                onChange={(v) => set("idc", v, live.links[0]?.idc ?? "")}
                options={live.links.map((l) => ({ value: l.idc, label: l.idc }))}
              />
            )}
            <Button type="primary" disabled={!may} onClick={() => setChanging(true)}>
              {t("scenes.change")}
            </Button>
          </>
        }
      >
        <Tag>{statisticOf(t, scene.statistic)}</Tag> <span className="soft">{scene.description}</span>
      </PageHead>
      {link ? (
        <Figures link={link} live={live} tagged={tagged} ahead={ahead} />
      ) : (
        <Empty title={t("scenes.silent", { scene: scene.name })}>{t("scenes.silentHint")}</Empty>
      )}
      <Tabs
        label={t("scenes.one")}
        items={tabs.map((key) => ({ key, label: t(`scenes.tabs.${key}`) }))}
        value={tab}
        onChange={(key) => set("tab", key, "link")}
      />
      <Suspense fallback={<Skeleton />}>
        {tab === "link" && scene.graph.nodes.length === 0 && (
          <Empty
            title={t("scenes.noGraph")}
            action={<Button onClick={() => set("tab", "graph", "link")}>{t("scenes.drawGraph")}</Button>}
          >
            {t("scenes.noGraphHint")}
          </Empty>
        )}
        {tab === "link" && link && scene.graph.nodes.length > 0 && (
          <Card title={`${scene.name} · ${link.idc}`} flush>
            <Flow label={t("scenes.tabs.link")} graph={scene.graph} live={link.nodes} path={path} />
          </Card>
        )}
        {tab === "table" && <LinkTable scene={scene.name} links={live.links} />}
        {tab === "split" && link && <SplitTab key={link.idc} scene={scene} link={link} />}
        {tab === "allocation" && <AllocationTab tagged={tagged} live={live} target={link?.effective_ms} />}
        {tab === "profiles" && <ProfilesTab scene={scene} live={live} />}
        {tab === "graph" && <GraphTab tagged={tagged} />}
        {tab === "settings" && <SettingsTab tagged={tagged} />}
      </Suspense>
      {changing && <TargetDialog tagged={tagged} onClose={() => setChanging(false)} />}
    </>
  );
}

function Figures(props: { link: SceneLink; live: SceneLive; tagged: Tagged; ahead: number }) {
  const { link, live, tagged } = props;
  const { t } = useTranslation();
  const { scene } = tagged;
  const m = link.live ?? link.recent;
  const rt = figure(link.live, scene.statistic) ?? figure(link.recent, scene.statistic);
  const off = rt === undefined ? undefined : rt / link.effective_ms - 1;
  const limit = scene.max_timeouts ?? 0;
  const lost = late(link.recent ?? m);
  return (
    <>
      <div className="tiles">
        <Tile
          label={t("scenes.target")}
          value={ms(link.effective_ms)}
          note={link.clamped ? t("scenes.clamped") : undefined}
        />
        <Tile
          label={t("scenes.actual")}
          value={ms(rt)}
          note={off === undefined ? undefined : `${off >= 0 ? "+" : "−"}${Math.abs(off * 100).toFixed(1)} %`}
          tone={off !== undefined && off > 0.15 ? "danger" : undefined}
        />
        <Tile
          label={t("scenes.timeouts")}
          value={share(lost)}
          note={limit > 0 ? `≤ ${share(limit)}` : undefined}
          tone={limit > 0 && lost !== undefined && lost > limit ? "danger" : undefined}
        />
        <Tile
          label={t("scenes.gear")}
          value={t("scenes.gearOf", { step: link.step, steps: link.steps })}
          note={live.regulated ? undefined : t("scenes.notRegulated")}
          tone={link.step > 1 ? "warning" : undefined}
        />
        <Tile
          label={t("scenes.row")}
          value={link.row_ms > 0 ? ms(link.row_ms) : "–"}
          note={
            link.table > 0
              ? t("scenes.rowNote", { table: link.table, scale: share(link.scale, 0) })
              : undefined
          }
        />
      </div>
      <Progress link={link} ahead={props.ahead} />
    </>
  );
}
