import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import type { Crowd, PointKey } from "../../api/types";
import { said } from "../../said/said";
import { DataTable, type Column } from "../../ui/DataTable";
import { DemoLoad } from "../../ui/DemoLoad";
import { count, ms, share } from "../../ui/format";
import { Card, Level, Tag, Tile } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { CrowdMeans, Distribution } from "./CrowdFigures";
import { sharesOf, useCrowds } from "./crowds";
import "./crowds.css";

type Row = Crowd & { share: number; next?: number };

/** RT distribution, crowds with their levels, and what downgrading cost. */
export function CrowdsCard({ id, max }: { id: PointKey; max: number }) {
  const { t } = useTranslation();
  const query = useCrowds(id);
  const columns = useMemo<Column<Row>[]>(
    () => [
      {
        key: "edge",
        title: t("points.crowds.predicted"),
        render: (c) => (c.next ? `${ms(c.edge_ms)} – ${ms(c.next)}` : `${ms(c.edge_ms)} –`),
      },
      { key: "share", title: t("points.crowds.share"), num: true, render: (c) => share(c.share, 1) },
      { key: "rt", title: t("points.rtMean"), num: true, render: (c) => (c.count ? ms(c.rt_mean_ms) : "–") },
      {
        key: "level",
        title: t("points.level"),
        render: (c) => (
          <span className="row">
            <Level level={c.level} max={max} />
            {c.bound && (
              <Tag
                tone={c.bound === "unreachable" ? "bad" : "info"}
                title={t(`points.crowds.${c.bound}Hint`)}
              >
                {t(`points.crowds.${c.bound}`)}
              </Tag>
            )}
          </span>
        ),
      },
      {
        key: "down",
        title: t("points.crowds.downgraded"),
        num: true,
        render: (c) => (c.count ? share(c.downgraded / c.count, 0) : "–"),
      },
      {
        key: "needless",
        title: t("points.crowds.needless"),
        num: true,
        render: (c) => uncertain(c.needless, c.needless_error, c.downgraded),
      },
      {
        key: "reason",
        title: t("points.crowds.reason"),
        render: (c) => (
          <div className="crowd-reason soft" tabIndex={0} title={said(c.reason)}>
            {said(c.reason)}
          </div>
        ),
      },
    ],
    [t, max],
  );
  return (
    <Card title={t("points.crowds.title")} actions={<DemoLoad />} flush>
      <Loaded query={query} rows={5}>
        {(c) => (
          <>
            <div className="body stack">
              {!!c.crowds?.length && (
                <div className="tiles">
                  <Tile
                    label={t("points.availableRt")}
                    value={ms(c.available_rt_ms)}
                    note={t("points.crowds.measured", { rt: ms(c.rt_mean_ms) })}
                  />
                  <Tile
                    label={t("points.crowds.downgraded")}
                    value={c.count ? share(c.downgraded / c.count, 1) : "–"}
                    note={t("points.crowds.below", {
                      n: count(c.downgraded),
                      of: count(c.count),
                      level: c.top_level,
                    })}
                  />
                  <Tile
                    label={t("points.crowds.needless")}
                    value={c.downgraded ? share(c.needless / c.downgraded, 0) : "–"}
                    unit={c.downgraded ? `± ${share(c.needless_error / c.downgraded, 0)}` : ""}
                    note={t("points.crowds.needlessNote")}
                  />
                  <Tile
                    label={t("points.crowds.predictor")}
                    value={c.fit_residual ? `± ${share(Math.expm1(c.fit_residual), 0)}` : "–"}
                    note={t("points.crowds.predictorNote")}
                  />
                </div>
              )}
              {c.histogram?.length ? (
                <div className="crowd-figures">
                  <Distribution crowds={c} />
                  {!!c.crowds?.length && <CrowdMeans crowds={c} />}
                </div>
              ) : (
                <div className="soft">{t("points.crowds.silent")}</div>
              )}
            </div>
            {!!c.crowds?.length && (
              <DataTable
                label={t("points.crowds.title")}
                columns={columns}
                rows={sharesOf(c.crowds)}
                rowKey={(r) => String(r.edge_ms)}
              />
            )}
          </>
        )}
      </Loaded>
    </Card>
  );
}

/** A share of the downgraded with its standard error. */
function uncertain(n: number, error: number, of: number): string {
  return of > 0 ? `${share(n / of, 1)} ± ${share(error / of, 1)}` : "–";
}
