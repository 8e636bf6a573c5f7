import { useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import type { PointState } from "../../api/types";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { clock, count, isTime, ms, share } from "../../ui/format";
import { Level, PageHead, Tag, type Tone } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { usePoints } from "./api";
import { idOf, pathOf } from "./key";

export const sourceTone: Record<string, Tone> = {
  emergency: "bad",
  manual: "warn",
  plan: "info",
  experiment: "info",
  preset: "info",
  feedback: "info",
};

const lost = (p: PointState) => {
  const m = p.recent ?? p.live;
  return m && m.count > 0 ? (m.timeouts + m.errors + m.shed) / m.count : undefined;
};

export function PointsPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const query = usePoints();
  const [params, setParams] = useSearchParams();
  const filter = {
    app: params.get("app") ?? "",
    scene: params.get("scene") ?? "",
    idc: params.get("idc") ?? "",
    source: params.get("source") ?? "",
  };
  const [text, setText] = useAddressText();
  const needle = useDeferredValue(text.toLowerCase());
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );

  const columns = useMemo<Column<PointState>[]>(
    () => [
      {
        key: "app",
        title: t("points.app"),
        render: (p) => p.app,
        sort: byText((p) => `${p.app} ${p.point}`),
      },
      {
        key: "point",
        title: t("points.point"),
        render: (p) => (
          <>
            <Link to={pathOf(p)}>
              <strong>{p.point}</strong>
            </Link>{" "}
            {p.external && <Tag>{t("points.external")}</Tag>}
          </>
        ),
        sort: byText((p) => p.point),
      },
      { key: "scene", title: t("points.scene"), render: (p) => p.scene, sort: byText((p) => p.scene) },
      { key: "idc", title: t("points.idc"), render: (p) => p.idc, sort: byText((p) => p.idc) },
      {
        key: "level",
        title: t("points.level"),
        render: (p) =>
          p.order ? (
            <Level
              level={p.recent?.count ? p.recent.level_mean : p.order.level}
              max={p.order.max_level}
              min={p.order.min_level}
            />
          ) : (
            <span className="soft">{t("points.unbound")}</span>
          ),
        sort: byNumber((p) => p.recent?.level_mean ?? p.order?.level),
      },
      {
        key: "source",
        title: t("points.source"),
        render: (p) =>
          p.source && (
            <Tag tone={sourceTone[p.source]}>
              {t(`points.sources.${p.source}`)}
              {isTime(p.override_end) && ` → ${clock(p.override_end)}`}
            </Tag>
          ),
        sort: byText((p) => p.source ?? ""),
      },
      {
        key: "rt",
        title: t("points.rtMean"),
        num: true,
        render: (p) => ms(p.recent?.rt_mean_ms),
        sort: byNumber((p) => p.recent?.rt_mean_ms),
      },
      {
        key: "p99",
        title: "p99",
        num: true,
        render: (p) => ms(p.recent?.rt_p99_ms),
        sort: byNumber((p) => p.recent?.rt_p99_ms),
      },
      {
        key: "lost",
        title: t("points.lost"),
        num: true,
        render: (p) => {
          const v = lost(p);
          return <span className={v !== undefined && v > 0.01 ? "danger" : ""}>{share(v)}</span>;
        },
        sort: byNumber(lost),
      },
      {
        key: "qps",
        title: "QPS",
        num: true,
        render: (p) => count(p.recent?.qps),
        sort: byNumber((p) => p.recent?.qps),
      },
      {
        key: "cpu",
        title: "CPU",
        num: true,
        render: (p) => share(p.recent?.cpu, 0),
        sort: byNumber((p) => p.recent?.cpu),
      },
      {
        key: "agents",
        title: t("points.agents"),
        num: true,
        render: (p) =>
          isTime(p.stale_since) ? (
            <Tag tone="bad">{t("points.staleSince", { since: clock(p.stale_since) })}</Tag>
          ) : (
            <span className={p.reporting >= p.machines ? "" : p.scene === "*" ? "soft" : "warning"}>
              {p.reporting}/{p.machines}
            </span>
          ),
        sort: byNumber((p) => p.machines),
      },
      {
        key: "template",
        title: t("points.template"),
        render: (p) =>
          p.order?.template && (
            <Link to={`/templates/${encodeURIComponent(p.order.template)}`}>
              {p.order.template} <span className="soft">v{p.order.template_version}</span>
            </Link>
          ),
        sort: byText((p) => p.order?.template ?? ""),
      },
    ],
    [t],
  );

  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead title={t("points.title")} />
      <Loaded query={query}>
        {(items) => {
          if (!items.length)
            return (
              <Empty
                title={t("points.none")}
                action={<Link to="/settings?tab=enrolment">{t("agents.enrol")}</Link>}
              >
                {t("points.noneHint")}
              </Empty>
            );
          const rows = items.filter(
            (p) =>
              (!filter.app || p.app === filter.app) &&
              (!filter.scene || p.scene === filter.scene) &&
              (!filter.idc || p.idc === filter.idc) &&
              (!filter.source || (p.source ?? "none") === filter.source) &&
              (!needle ||
                `${p.app} ${p.point} ${p.scene} ${p.idc} ${p.order?.template ?? ""}`
                  .toLowerCase()
                  .includes(needle)),
          );
          const values = (of: (p: PointState) => string) => [...new Set(items.map(of))].sort();
          const pick = (key: keyof typeof filter, options: string[]) => (
            <select
              className="native"
              aria-label={t(`points.${key}`)}
              value={filter[key]}
              onChange={(e) => set(key, e.target.value)}
            >
              <option value="">
                {t(`points.${key}`)}: {t("ui.all")}
              </option>
              {options.map((o) => (
                <option key={o} value={o}>
                  {key === "source" ? t(`points.sources.${o}`) : o}
                </option>
              ))}
            </select>
          );
          return (
            <>
              <div className="toolbar" data-search>
                <SearchField label={t("points.search")} text={text} onText={setText} />
                {pick(
                  "app",
                  values((p) => p.app),
                )}
                {pick(
                  "scene",
                  values((p) => p.scene),
                )}
                {pick(
                  "idc",
                  values((p) => p.idc),
                )}
                {pick(
                  "source",
                  values((p) => p.source ?? "none"),
                )}
                <span className="soft grow" style={{ textAlign: "right" }}>
                  {t("points.count", { count: rows.length, of: items.length })}
                </span>
              </div>
              {rows.length ? (
                <DataTable
                  label={t("points.title")}
                  columns={columns}
                  rows={rows}
                  rowKey={idOf}
                  onOpen={(p) => void navigate(pathOf(p))}
                  dim={(p) => isTime(p.stale_since)}
                  initialSort={{ key: "app" }}
                />
              ) : (
                <Empty title={t("points.noMatch")} />
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
