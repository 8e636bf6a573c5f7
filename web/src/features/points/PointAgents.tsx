import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import type { PointAgent, PointKey } from "../../api/types";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { count, ms, share } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { usePointAgents } from "./api";

export function PointAgents({ id }: { id: PointKey }) {
  const { t } = useTranslation();
  const query = usePointAgents(id);
  const columns = useMemo<Column<PointAgent>[]>(
    () => [
      {
        key: "instance",
        title: t("points.agent"),
        render: (a) => (
          <>
            <Link to={`/agents/${encodeURIComponent(a.instance)}`} className="mono">
              {a.instance}
            </Link>{" "}
            {a.outlier && <Tag tone="warn">{t("points.outlier")}</Tag>}
          </>
        ),
        sort: byText((a) => a.instance),
      },
      { key: "host", title: t("points.host"), render: (a) => a.host, sort: byText((a) => a.host) },
      {
        key: "level",
        title: t("points.level"),
        num: true,
        render: (a) => a.metrics.level_mean.toFixed(1),
        sort: byNumber((a) => a.metrics.level_mean),
      },
      {
        key: "rt",
        title: t("points.rtMean"),
        num: true,
        render: (a) => ms(a.metrics.rt_mean_ms),
        sort: byNumber((a) => a.metrics.rt_mean_ms),
      },
      {
        key: "p99",
        title: "p99",
        num: true,
        render: (a) => ms(a.metrics.rt_p99_ms),
        sort: byNumber((a) => a.metrics.rt_p99_ms),
      },
      {
        key: "qps",
        title: "QPS",
        num: true,
        render: (a) => count(a.metrics.qps),
        sort: byNumber((a) => a.metrics.qps),
      },
      {
        key: "cpu",
        title: "CPU",
        num: true,
        render: (a) => share(a.metrics.cpu, 0),
        sort: byNumber((a) => a.metrics.cpu),
      },
    ],
    [t],
  );
  return (
    <Card title={t("points.agents")} flush>
      <Loaded query={query} rows={3}>
        {(page) =>
          page.items.length ? (
            <DataTable
              label={t("points.agents")}
              columns={columns}
              rows={page.items}
              rowKey={(a) => a.instance}
              initialSort={{ key: "rt", down: true }}
            />
          ) : (
            <div className="body soft">{t("points.noAgents")}</div>
          )
        }
      </Loaded>
    </Card>
  );
}
