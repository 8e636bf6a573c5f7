import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { count, ms, share } from "../../ui/format";
import { Card, Level, Tag } from "../../ui/marks";
import { late, sourceName } from "./format";
import { found } from "./links";
import type { Scene, SceneLink, SceneLinkNode } from "./types";

interface Side {
  title: string;
  link: SceneLink | undefined;
}

interface Row {
  id: string;
  external: boolean;
  app: string;
  point: string;
  a: SceneLinkNode | undefined;
  b: SceneLinkNode | undefined;
}

const metric = (n: SceneLinkNode | undefined) => {
  const m = n?.recent ?? n?.live;
  return m?.count ? m : undefined;
};

/** The links as a table; two sides stand in neighbouring columns with what differs. */
export function CompareTable(props: { scene: Scene; find: string; left: Side; right: Side | undefined }) {
  const { t } = useTranslation();
  const { scene, find, left, right } = props;
  // A row of which both sides stayed the same is the same row, and not drawn again.
  const [kept] = useState(() => new Map<string, Row>());
  const [a, b] = [left.link, right?.link];
  const rows = useMemo<Row[]>(() => {
    const sideOf = (link: SceneLink | undefined) => new Map(link?.nodes.map((n) => [n.id, n]));
    const [as, bs] = [sideOf(a), sideOf(b)];
    return scene.graph.nodes
      .filter((n) => found(find, n) !== false)
      .map((n) => {
        const { app, point } = n.place;
        const row = { id: n.id, external: !!n.external, app, point, a: as.get(n.id), b: bs.get(n.id) };
        const old = kept.get(n.id);
        if (old && (Object.keys(row) as (keyof Row)[]).every((k) => old[k] === row[k])) return old;
        kept.set(n.id, row);
        return row;
      });
  }, [scene.graph, find, a, b, kept]);
  const idc = left.link?.idc ?? right?.link?.idc ?? "";
  const two = !!right;
  const columns = useMemo<Column<Row>[]>(() => {
    const number = (
      key: string,
      title: string,
      of: (n: SceneLinkNode | undefined) => number | undefined,
      format: (v: number | undefined) => string,
    ): Column<Row>[] => [
      {
        key: `${key}A`,
        title: two ? `${title} A` : title,
        num: true,
        render: (r) => format(of(r.a)),
        sort: byNumber((r) => of(r.a)),
      },
      ...(two
        ? [
            {
              key: `${key}B`,
              title: `${title} B`,
              num: true,
              render: (r: Row) => format(of(r.b)),
              sort: byNumber((r: Row) => of(r.b)),
            },
            {
              key: `${key}D`,
              title: "Δ",
              num: true,
              render: (r: Row) => <Difference a={of(r.a)} b={of(r.b)} />,
              sort: byNumber((r: Row) => ratio(of(r.a), of(r.b))),
            },
          ]
        : []),
    ];
    const level = (n: SceneLinkNode | undefined) => metric(n)?.level_mean ?? n?.level;
    const levelColumn = (side: "a" | "b", title: string): Column<Row> => ({
      key: `level${side}`,
      title,
      render: (r) => (r.external ? "–" : <Level level={level(r[side])} max={r[side]?.max_level ?? 100} />),
      sort: byNumber((r) => level(r[side])),
    });
    return [
      {
        key: "node",
        title: t("scenes.node"),
        render: (r) => (
          <>
            <Link to={`/points/${[scene.name, idc, r.app, r.point].map(encodeURIComponent).join("/")}`}>
              {r.id}
            </Link>{" "}
            {r.external && <Tag>{t("scenes.external")}</Tag>}
          </>
        ),
        sort: byText((r) => r.id),
      },
      levelColumn("a", two ? `${t("scenes.level")} A` : t("scenes.level")),
      ...(two ? [levelColumn("b", `${t("scenes.level")} B`)] : []),
      ...number("rt", t("scenes.rt"), (n) => metric(n)?.rt_mean_ms, ms),
      ...number("late", t("scenes.late"), (n) => late(metric(n)), share),
      ...number("qps", t("scenes.qps"), (n) => metric(n)?.qps, count),
      {
        key: "source",
        title: t("scenes.source"),
        render: (r) => (
          <>
            <Tag>{sourceName(t, r.a?.source)}</Tag>{" "}
            {two && r.b?.source !== r.a?.source && <Tag tone="warn">{sourceName(t, r.b?.source)}</Tag>}
          </>
        ),
        sort: byText((r) => r.a?.source ?? ""),
      },
    ];
  }, [t, scene.name, idc, two]);
  const title = right ? `A ${left.title} — B ${right.title}` : left.title;
  return (
    <Card title={title} flush>
      <DataTable
        label={t("scenes.tabs.table")}
        columns={columns}
        rows={rows}
        rowKey={(r) => r.id}
        initialSort={{ key: "node" }}
      />
    </Card>
  );
}

const ratio = (a: number | undefined, b: number | undefined) =>
  a !== undefined && b !== undefined && a > 0 ? b / a - 1 : undefined;

/** How much B is above or below A; a tenth and more stands out. */
function Difference({ a, b }: { a: number | undefined; b: number | undefined }) {
  const by = ratio(a, b);
  if (by === undefined) return <span className="soft">–</span>;
  const percent = Math.round(by * 100);
  return (
    <span className={Math.abs(by) >= 0.1 ? "warning" : "soft"}>
      {percent > 0 ? "+" : percent < 0 ? "−" : ""}
      {Math.abs(percent)} %
    </span>
  );
}
