import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { count, ms, share } from "../../ui/format";
import { Card, Level, Tag } from "../../ui/marks";
import { late } from "./format";
import type { SceneLink, SceneLinkNode } from "./types";

type Row = SceneLinkNode & { idc: string };

/** The link view as a table, of every IDC: levels side by side. */
export function LinkTable({ scene, links }: { scene: string; links: SceneLink[] }) {
  const { t } = useTranslation();
  const rows = useMemo<Row[]>(
    () => links.flatMap((l) => l.nodes.map((n) => ({ ...n, idc: l.idc }))),
    [links],
  );
  const columns = useMemo<Column<Row>[]>(
    () => [
      {
        key: "node",
        title: t("scenes.node"),
        render: (n) => (
          <>
            <Link
              to={`/points/${[scene, n.idc, n.place.app, n.place.point].map(encodeURIComponent).join("/")}`}
            >
              {n.id}
            </Link>{" "}
            {n.external && <Tag>{t("scenes.external")}</Tag>}
          </>
        ),
        sort: byText((n) => n.id + n.idc),
      },
      { key: "idc", title: t("scenes.idc"), render: (n) => n.idc, sort: byText((n) => n.idc + n.id) },
      {
        key: "level",
        title: t("scenes.level"),
        render: (n) =>
          n.external ? (
            "–"
          ) : (
            <Level level={n.recent?.count ? n.recent.level_mean : n.level} max={n.max_level ?? 100} />
          ),
        sort: byNumber((n) => n.recent?.level_mean ?? n.level ?? 0),
      },
      {
        key: "rt",
        title: t("scenes.rt"),
        num: true,
        render: (n) => ms(n.recent?.count ? n.recent.rt_mean_ms : undefined),
        sort: byNumber((n) => n.recent?.rt_mean_ms ?? 0),
      },
      {
        key: "available",
        title: t("scenes.available"),
        num: true,
        render: (n) => ms(n.available_rt_ms || undefined),
      },
      { key: "timeout", title: t("scenes.timeout"), num: true, render: (n) => ms(n.timeout_ms || undefined) },
      {
        key: "late",
        title: t("scenes.late"),
        num: true,
        render: (n) => share(late(n.recent)),
        sort: byNumber((n) => late(n.recent) ?? 0),
      },
      { key: "qps", title: t("scenes.qps"), num: true, render: (n) => count(n.recent?.qps) },
      {
        key: "source",
        title: t("scenes.source"),
        render: (n) => <Tag>{n.source || "–"}</Tag>,
        sort: byText((n) => n.source ?? ""),
      },
    ],
    [t, scene],
  );
  return (
    <Card title={t("scenes.tabs.table")} flush>
      <DataTable
        label={t("scenes.tabs.table")}
        columns={columns}
        rows={rows}
        rowKey={(n) => `${n.idc} ${n.id}`}
        initialSort={{ key: "node" }}
      />
    </Card>
  );
}
