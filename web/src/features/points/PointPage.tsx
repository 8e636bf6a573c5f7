import { Button } from "antd";
import { lazy, Suspense, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useParams, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import type { Order, PointKey, PointState } from "../../api/types";
import { explainPoint, showPoint } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { clock, count, isTime, ms, share } from "../../ui/format";
import { Card, Level, PageHead, Tag, Tile } from "../../ui/marks";
import { RolloutDrawer } from "../../ui/Rollout";
import { Loaded, Skeleton } from "../../ui/states";
import { usePoint, usePointEvents } from "./api";
import { ClaimsCard } from "./ClaimsCard";
import { CrowdsCard } from "./CrowdsCard";
import { idOf } from "./key";
import { OverrideDialog } from "./OverrideDialog";
import { PointAgents } from "./PointAgents";
import { sourceTone } from "./PointsPage";
import { WhyCard } from "./WhyCard";

const HistoryCharts = lazy(() => import("./HistoryCharts"));

export function PointPage() {
  const { scene = "", idc = "", app = "", point = "" } = useParams();
  const key = useMemo(() => ({ scene, idc, app, point }), [scene, idc, app, point]);
  const query = usePoint(key);
  usePointEvents();
  return (
    <div className="page">
      <Loaded query={query}>{(p) => <Point key={idOf(key)} id={key} point={p} />}</Loaded>
    </div>
  );
}

function Point({ id, point: p }: { id: PointKey; point: PointState }) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const maySet = useCan("claim");
  const [overriding, setOverriding] = useState(false);
  const [rollout, setRollout] = useState<number>();
  const at = params.get("at") ?? undefined;
  const range = Number(params.get("range") ?? 60);
  const set = (key: string, value: string | undefined) =>
    setParams(
      (q) => {
        if (value) q.set(key, value);
        else q.delete(key);
        return q;
      },
      { replace: true },
    );
  const m = p.recent;
  const o = p.order ?? undefined;
  const stale = isTime(p.stale_since);

  return (
    <>
      <PageHead
        title={
          <>
            {p.app} <span className="soft">/</span> {p.point}
          </>
        }
        actions={
          <>
            <CopyAs yaml={() => p} cli={at ? explainPoint(p, at) : showPoint(p)} />
            {maySet && (
              <Button type="primary" onClick={() => setOverriding(true)}>
                {t("points.override")}
              </Button>
            )}
          </>
        }
      >
        <Tag>
          {t("points.scene")} {p.scene}
        </Tag>
        <Tag>
          {t("points.idc")} {p.idc}
        </Tag>
        {p.external && <Tag>{t("points.external")}</Tag>}
        {p.source && <Tag tone={sourceTone[p.source]}>{t(`points.sources.${p.source}`)}</Tag>}
        {isTime(p.override_end) && <Tag tone="warn">{t("points.until", { end: clock(p.override_end) })}</Tag>}
        {stale && <Tag tone="bad">{t("points.staleSince", { since: clock(p.stale_since) })}</Tag>}
      </PageHead>
      <div className="tiles">
        <Tile
          label={t("points.level")}
          value={
            o ? <Level level={m?.count ? m.level_mean : o.level} max={o.max_level} min={o.min_level} /> : "–"
          }
          note={
            o
              ? t("points.ordered", { level: o.level, min: o.min_level, max: o.max_level })
              : t("points.unbound")
          }
        />
        <Tile
          label={t("points.rtMean")}
          value={ms(m?.rt_mean_ms)}
          note={o?.available_rt_ms ? t("points.available", { rt: ms(o.available_rt_ms) }) : " "}
        />
        <Tile
          label="p99"
          value={ms(m?.rt_p99_ms)}
          note={`p50 ${ms(m?.rt_p50_ms)} · p95 ${ms(m?.rt_p95_ms)}`}
        />
        <Tile label="QPS" value={count(m?.qps)} note={t("points.lastTen")} />
        <Tile
          label={t("points.lost")}
          value={share(m?.count ? (m.timeouts + m.errors + m.shed) / m.count : undefined)}
          tone={m?.count && (m.timeouts + m.errors + m.shed) / m.count > 0.01 ? "danger" : undefined}
          note={m ? t("points.lostSplit", { timeouts: m.timeouts, errors: m.errors, shed: m.shed }) : " "}
        />
        <Tile
          label="CPU"
          value={share(m?.cpu, 0)}
          note={t("points.reporting", { n: p.reporting, of: p.machines })}
        />
        {!!m?.value && <Tile label={t("points.value")} value={count(m.value)} note={t("points.lastTen")} />}
      </div>
      <div className="columns">
        <div className="stack">
          <Card
            title={t("points.history")}
            actions={
              <select
                className="native"
                aria-label={t("points.range")}
                value={range}
                onChange={(e) => set("range", e.target.value)}
              >
                {[15, 60, 360, 1440, 10080].map((r) => (
                  <option key={r} value={r}>
                    {t(`points.ranges.${r}`)}
                  </option>
                ))}
              </select>
            }
          >
            <Suspense fallback={<Skeleton rows={4} />}>
              <HistoryCharts id={id} minutes={range} onPick={(x) => set("at", x)} />
            </Suspense>
          </Card>
          {o?.strategy === "crowd_rt" && <CrowdsCard id={id} max={o.max_level} />}
          <PointAgents id={id} />
        </div>
        <div className="stack">
          <WhyCard id={id} at={at} onAt={(x) => set("at", x)} />
          <ClaimsCard id={id} onDone={() => setRollout(Date.now())} />
          {o && <ParametersNow order={o} />}
        </div>
      </div>
      {overriding && (
        <OverrideDialog
          id={id}
          order={o}
          onClose={() => setOverriding(false)}
          onDone={() => setRollout(Date.now())}
        />
      )}
      {rollout && (
        <RolloutDrawer
          since={rollout}
          title={t("points.rollout")}
          app={id.app}
          idc={id.idc}
          about={["(manual)"]}
          onClose={() => setRollout(undefined)}
        />
      )}
    </>
  );
}

function ParametersNow({ order }: { order: Order }) {
  const { t } = useTranslation();
  return (
    <Card title={t("points.parameters")}>
      <dl className="facts">
        <dt>{t("points.template")}</dt>
        <dd>
          <Link to={`/templates/${encodeURIComponent(order.template)}`}>{order.template}</Link> v
          {order.template_version}
        </dd>
        <dt>{t("points.strategy")}</dt>
        <dd>{order.strategy}</dd>
        {!!order.timeout_ms && (
          <>
            <dt>{t("points.timeout")}</dt>
            <dd>{ms(order.timeout_ms)}</dd>
          </>
        )}
        <dt>{t("points.work")}</dt>
        <dd>{share(order.work, 0)}</dd>
        {(order.parameters ?? []).map((x) => (
          <Pair
            key={x.name}
            name={x.name}
            value={typeof x.value === "string" ? x.value : JSON.stringify(x.value)}
          />
        ))}
      </dl>
    </Card>
  );
}

function Pair({ name, value }: { name: string; value: string }) {
  return (
    <>
      <dt>
        <code>{name}</code>
      </dt>
      <dd className="mono">{value}</dd>
    </>
  );
}
