import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { PointState, Selector } from "../../api/types";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { clock, count, isTime, ms, share } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { usePlaces } from "./api";
import { selectorText } from "./draft";

const pathOf = (p: PointState) =>
  `/points/${[p.scene, p.idc, p.app, p.point].map(encodeURIComponent).join("/")}`;

/** The places that share the budget. */
export function MembersCard({ members }: { members: Selector[] }) {
  const { t } = useTranslation();
  const query = usePlaces(members);
  const columns = useMemo<Column<PointState>[]>(
    () => [
      {
        key: "place",
        title: t("points.point"),
        render: (p) => (
          <Link to={pathOf(p)} className="mono">
            {selectorText(p)}
          </Link>
        ),
        sort: byText(selectorText),
      },
      {
        key: "agents",
        title: t("points.agents"),
        num: true,
        render: (p) =>
          isTime(p.stale_since) ? (
            <Tag tone="bad">{t("points.staleSince", { since: clock(p.stale_since) })}</Tag>
          ) : (
            `${p.reporting}/${p.machines}`
          ),
        sort: byNumber((p) => p.machines),
      },
      {
        key: "qps",
        title: "QPS",
        num: true,
        render: (p) => count(p.recent?.qps),
        sort: byNumber((p) => p.recent?.qps),
      },
      {
        key: "rt",
        title: t("points.rtMean"),
        num: true,
        render: (p) => ms(p.recent?.rt_mean_ms),
        sort: byNumber((p) => p.recent?.rt_mean_ms),
      },
      {
        key: "cpu",
        title: "CPU",
        num: true,
        render: (p) => share(p.recent?.cpu, 0),
        sort: byNumber((p) => p.recent?.cpu),
      },
    ],
    [t],
  );
  return (
    <Card
      title={t("quota.members")}
      flush
      actions={<span className="soft mono">{members.map(selectorText).join(", ")}</span>}
    >
      <Loaded query={query} rows={3}>
        {(all) => {
          // A declaration for any scene is no place of its own while scenes report.
          const rows = all.filter((p) => p.scene !== "*" || p.reporting > 0 || all.length === 1);
          return rows.length ? (
            <DataTable
              label={t("quota.members")}
              columns={columns}
              rows={rows}
              rowKey={selectorText}
              initialSort={{ key: "place" }}
            />
          ) : (
            <div className="state">{t("quota.noPlaces")}</div>
          );
        }}
      </Loaded>
    </Card>
  );
}
