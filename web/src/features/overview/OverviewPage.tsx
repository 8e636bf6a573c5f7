import { useQuery } from "@tanstack/react-query";
import { Button } from "antd";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate } from "react-router";
import { client, take } from "../../api/client";
import { useRefresh } from "../../api/live";
import { all, useRecentChanges, type Page } from "../../api/rollout";
import { useCan } from "../../api/session";
import type { Agent, PointState, Schemas, Status } from "../../api/types";
import { said } from "../../said/said";
import { causeOf } from "../../ui/cause";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { DemoLoad } from "../../ui/DemoLoad";
import { clock, count, countdown, isTime, ms, share, useAgo } from "../../ui/format";
import { Card, Level, PageHead, Tag, Tile } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { Scenes } from "./Scenes";
import { WallLinkDialog } from "./WallLinkDialog";
import { summarise, type CellSummary } from "./summary";

function useOverview() {
  const refetchInterval = useRefresh(3_000);
  const status = useQuery({
    queryKey: ["status"],
    queryFn: ({ signal }) => take<Status>(client.GET("/api/v1/status", { signal })),
    refetchInterval,
  });
  const points = useQuery({
    queryKey: ["points", "list"],
    queryFn: ({ signal }) =>
      all<PointState>((cursor) =>
        take<Page<PointState>>(
          client.GET("/api/v1/points", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      ),
    refetchInterval,
  });
  const agents = useQuery({
    queryKey: ["agents", "list"],
    queryFn: ({ signal }) =>
      all<Agent>((cursor) =>
        take<Page<Agent>>(
          client.GET("/api/v1/agents", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      ),
    refetchInterval,
  });
  return { status, points, agents, changes: useRecentChanges({ limit: 8 }) };
}

export function OverviewPage() {
  const { t } = useTranslation();
  const { status, points, agents, changes } = useOverview();
  const mayLink = useCan("access");
  const [linking, setLinking] = useState(false);
  const cells = useMemo(() => summarise(points.data ?? [], agents.data ?? []), [points.data, agents.data]);
  const ordered = cells.filter((c) => c.current !== undefined);
  const overridden = (points.data ?? []).filter((p) => p.source === "manual" || p.source === "emergency");
  const refusing = (agents.data ?? []).filter(
    (a) => a.last_ack?.refused && (a.state === "connected" || a.state === "stale"),
  );
  return (
    <div className="page">
      <PageHead
        title={t("overview.title")}
        actions={
          <>
            <DemoLoad />
            <Button href="/wall" target="_blank">
              {t("overview.wall")}
            </Button>
            {mayLink && <Button onClick={() => setLinking(true)}>{t("overview.wallLink")}</Button>}
          </>
        }
      />
      <Loaded query={status} rows={2}>
        {(s) => (
          <div className="tiles">
            <Tile
              label={t("overview.agents")}
              value={s.agents.connected}
              unit={t("overview.connected")}
              note={t("overview.notConnected", {
                stale: s.agents.stale,
                gone: s.agents.disconnected,
                banned: s.agents.banned,
              })}
              tone={s.agents.stale ? "warning" : undefined}
            />
            <Tile
              label={t("overview.holding")}
              value={`${ordered.reduce((n, c) => n + (c.current ?? 0), 0)} / ${ordered.reduce((n, c) => n + c.agents, 0)}`}
              note={t("overview.holdingNote")}
            />
            <Tile
              label={t("overview.refusals")}
              value={refusing.length}
              tone={refusing.length ? "danger" : undefined}
              note={t("overview.refusalsNote")}
            />
            <Tile
              label={t("overview.overrides")}
              value={overridden.length}
              tone={overridden.length ? "warning" : undefined}
              note={t("overview.overridesNote")}
            />
            <Tile
              label="QPS"
              value={count(cells.reduce((n, c) => n + c.qps, 0))}
              note={t("overview.allPoints")}
            />
            <NextStep />
            <Tile
              label={t("overview.lease")}
              value={<span style={{ fontSize: 15 }}>{s.lease.holder || t("overview.nobody")}</span>}
              note={t("overview.leaseNote", {
                epoch: s.lease.epoch,
                kind: s.database.kind,
                ping: ms(s.database.ping_ms),
              })}
              tone={s.lease.holder ? undefined : "danger"}
            />
          </div>
        )}
      </Loaded>
      <div className="columns">
        <div className="stack">
          <Scenes />
          <Card title={t("overview.matrix")} flush>
            <Loaded query={points}>
              {() =>
                cells.length ? (
                  <Matrix cells={cells} />
                ) : (
                  <Empty
                    title={t("points.none")}
                    action={<Link to="/settings?tab=enrolment">{t("agents.enrol")}</Link>}
                  >
                    {t("points.noneHint")}
                  </Empty>
                )
              }
            </Loaded>
          </Card>
        </div>
        <div className="stack">
          <Card title={t("overview.overridden")} flush>
            {overridden.length ? (
              <ul className="why">
                {overridden.slice(0, 8).map((p) => (
                  <li
                    key={`${p.scene}/${p.idc}/${p.app}/${p.point}`}
                    style={{ gridTemplateColumns: "minmax(0,1fr) auto" }}
                  >
                    <Link
                      to={`/points/${[p.scene, p.idc, p.app, p.point].map(encodeURIComponent).join("/")}`}
                    >
                      {p.app} / {p.point}{" "}
                      <span className="soft">
                        {p.scene} · {p.idc}
                      </span>
                    </Link>
                    <span className="row">
                      <Level level={p.order?.level} max={p.order?.max_level ?? 1} min={p.order?.min_level} />
                      {isTime(p.override_end) && <Tag tone="warn">→ {clock(p.override_end)}</Tag>}
                    </span>
                  </li>
                ))}
              </ul>
            ) : (
              <div className="body soft">{t("points.noOverride")}</div>
            )}
          </Card>
          {refusing.length > 0 && (
            <Card title={t("overview.refusing")} flush>
              <ul className="why">
                {refusing.slice(0, 8).map((a) => (
                  <li key={a.instance} style={{ gridTemplateColumns: "minmax(0,1fr)" }}>
                    <Link to={`/agents/${encodeURIComponent(a.instance)}`} className="mono">
                      {a.instance}
                    </Link>
                    <span className="danger">{said(a.last_ack?.problems?.[0]?.message)}</span>
                  </li>
                ))}
              </ul>
            </Card>
          )}
          <Card title={t("overview.recent")} flush>
            <Loaded query={changes} rows={3}>
              {(page) => <Recent items={page.items} />}
            </Loaded>
          </Card>
        </div>
      </div>
      {linking && <WallLinkDialog onClose={() => setLinking(false)} />}
    </div>
  );
}

/** The next step of all approved plans, counted down. */
function NextStep() {
  const { t } = useTranslation();
  const query = useQuery({
    queryKey: ["plans", "next"],
    queryFn: async ({ signal }) => {
      const plans = await all<Schemas["Plan"]>((cursor) =>
        take<Page<Schemas["Plan"]>>(
          client.GET("/api/v1/plans", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      );
      return (
        plans
          .filter((p) => p.state === "approved" && p.next)
          .sort((a, b) => Date.parse(a.next!.start) - Date.parse(b.next!.start))[0] ?? null
      );
    },
    refetchInterval: useRefresh(5_000),
  });
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const plan = query.data;
  return (
    <Tile
      label={t("overview.nextStep")}
      value={plan?.next ? `T−${countdown(Date.parse(plan.next.start) - now)}` : "–"}
      note={
        plan?.next ? (
          <Link to={`/plans/${encodeURIComponent(plan.name)}`}>
            {plan.name} / {plan.next.name}
          </Link>
        ) : (
          t("overview.noStep")
        )
      }
    />
  );
}

function Recent({ items }: { items: Schemas["Change"][] }) {
  const { t } = useTranslation();
  const ago = useAgo();
  if (!items.length) return <div className="body soft">{t("changes.none")}</div>;
  return (
    <ul className="why">
      {items.map((c) => (
        <li key={c.version.revision} style={{ gridTemplateColumns: "52px minmax(0,1fr) auto" }}>
          <Link to={`/changes/${c.version.revision}`}>#{c.version.revision}</Link>
          <span className="two-lines" title={causeOf(t, c)}>
            {causeOf(t, c)}
          </span>
          <span className="soft nowrap">{ago(c.at)}</span>
          <small>
            {c.app} · {c.idc}
          </small>
        </li>
      ))}
    </ul>
  );
}

function Matrix({ cells }: { cells: CellSummary[] }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const columns = useMemo<Column<CellSummary>[]>(
    () => [
      {
        key: "app",
        title: t("points.app"),
        render: (c) => <strong>{c.app}</strong>,
        sort: byText((c) => `${c.app} ${c.idc}`),
      },
      { key: "idc", title: t("points.idc"), render: (c) => c.idc, sort: byText((c) => c.idc) },
      {
        key: "agents",
        title: t("overview.agents"),
        num: true,
        render: (c) => (
          <span className={c.connected < c.agents ? "warning" : ""}>{`${c.connected}/${c.agents}`}</span>
        ),
        sort: byNumber((c) => c.agents),
      },
      {
        key: "holding",
        title: t("overview.newest"),
        num: true,
        render: (c) =>
          c.current === undefined ? (
            <span className="soft">–</span>
          ) : (
            <span className={c.current < c.agents ? "warning" : "success"}>
              {c.agents ? share(c.current / c.agents, 0) : "–"}
            </span>
          ),
        sort: byNumber((c) => (c.agents && c.current !== undefined ? c.current / c.agents : undefined)),
      },
      {
        key: "refused",
        title: t("overview.refusals"),
        num: true,
        render: (c) => <span className={c.refused ? "danger" : "soft"}>{c.refused}</span>,
        sort: byNumber((c) => c.refused),
      },
      {
        key: "points",
        title: t("points.title"),
        num: true,
        render: (c) => c.points,
        sort: byNumber((c) => c.points),
      },
      {
        key: "floor",
        title: t("overview.atFloor"),
        num: true,
        render: (c) => <span className={c.atFloor ? "warning" : "soft"}>{c.atFloor}</span>,
        sort: byNumber((c) => c.atFloor),
      },
      {
        key: "manual",
        title: t("overview.overrides"),
        num: true,
        render: (c) => <span className={c.overridden ? "warning" : "soft"}>{c.overridden}</span>,
        sort: byNumber((c) => c.overridden),
      },
      {
        key: "rt",
        title: t("points.rtMean"),
        num: true,
        render: (c) => ms(c.rtMean),
        sort: byNumber((c) => c.rtMean),
      },
      {
        key: "lost",
        title: t("points.lost"),
        num: true,
        render: (c) => <span className={c.lost && c.lost > 0.01 ? "danger" : ""}>{share(c.lost)}</span>,
        sort: byNumber((c) => c.lost),
      },
      { key: "qps", title: "QPS", num: true, render: (c) => count(c.qps), sort: byNumber((c) => c.qps) },
    ],
    [t],
  );
  return (
    <DataTable
      label={t("overview.matrix")}
      columns={columns}
      rows={cells}
      rowKey={(c) => `${c.app} ${c.idc}`}
      onOpen={(c) =>
        void navigate(`/points?app=${encodeURIComponent(c.app)}&idc=${encodeURIComponent(c.idc)}`)
      }
      initialSort={{ key: "app" }}
    />
  );
}
