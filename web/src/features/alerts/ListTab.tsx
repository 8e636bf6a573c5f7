import { Button } from "antd";
import { useDeferredValue, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { byText, DataTable, type Column } from "../../ui/DataTable";
import { dateTime, useAgo } from "../../ui/format";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { AckDialog } from "./AckDialog";
import { kinds, useAlerts, useAppNames, type Alert, type Filter } from "./api";
import { SeverityTag, span, StateTag, Where } from "./marks";
import { SilenceDialog } from "./SilenceDialog";

const path = (a: Alert) => `/alerts/${a.id}`;

export function ListTab() {
  const { t } = useTranslation();
  const ago = useAgo();
  const navigate = useNavigate();
  const may = useCan("claim");
  const [params, setParams] = useSearchParams();
  const [acking, setAcking] = useState<Alert>();
  const [silencing, setSilencing] = useState<Alert>();
  const [text, setText] = useAddressText();
  const filter: Filter = {
    state: params.get("state") === "all" ? "all" : "open",
    kind: params.get("kind") ?? "",
    app: params.get("app") ?? "",
    idc: params.get("idc") ?? "",
    search: useDeferredValue(text),
  };
  const query = useAlerts(filter);
  const apps = useAppNames().data?.items ?? [];
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );

  const columns = useMemo<Column<Alert>[]>(
    () => [
      {
        key: "state",
        title: t("alerts.state"),
        render: (a) => <StateTag alert={a} />,
        sort: byText((a) => a.state),
      },
      {
        key: "severity",
        title: t("alerts.severity"),
        render: (a) => <SeverityTag severity={a.severity} />,
        sort: byText((a) => a.severity),
      },
      {
        key: "kind",
        title: t("alerts.kind"),
        render: (a) => (
          <Link to={path(a)}>
            <strong>{t(`alerts.kinds.${a.kind}`)}</strong>
          </Link>
        ),
        sort: byText((a) => a.kind),
      },
      { key: "where", title: t("alerts.where"), render: (a) => <Where alert={a} /> },
      {
        key: "reason",
        title: t("alerts.reason"),
        render: (a) => (
          <span className="alert-reason" title={said(a.reason)}>
            {said(a.reason)}
          </span>
        ),
      },
      {
        key: "fired",
        title: t("alerts.fired"),
        render: (a) => (
          <span className="soft" title={dateTime(a.fired_at)}>
            {ago(a.fired_at)}
          </span>
        ),
        sort: byText((a) => a.fired_at),
      },
      {
        key: "stood",
        title: t("alerts.stands"),
        num: true,
        render: (a) => span(a.fired_at, a.resolved_at),
      },
      { key: "by", title: t("alerts.ackedBy"), render: (a) => a.acked_by ?? <span className="soft">–</span> },
      {
        key: "do",
        title: "",
        width: 150,
        render: (a) =>
          may &&
          a.state !== "resolved" && (
            <span className="row" style={{ gap: 6 }} onClick={(e) => e.stopPropagation()}>
              {!a.acked_by && (
                <Button size="small" onClick={() => setAcking(a)}>
                  {t("alerts.ack")}
                </Button>
              )}
              {!a.silence && (
                <Button size="small" onClick={() => setSilencing(a)}>
                  {t("alerts.silence")}
                </Button>
              )}
            </span>
          ),
      },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
    [t, may],
  );

  const pick = (key: "kind" | "app" | "idc", options: string[], label: (o: string) => string) => (
    <select
      className="native"
      aria-label={t(`alerts.${key}`)}
      value={filter[key]}
      onChange={(e) => set(key, e.target.value)}
    >
      <option value="">
        {t(`alerts.${key}`)}: {t("ui.all")}
      </option>
      {options.map((o) => (
        <option key={o} value={o}>
          {label(o)}
        </option>
      ))}
    </select>
  );

  return (
    <>
      <div className="toolbar" data-search>
        <SearchField label={t("alerts.search")} text={text} onText={setText} maxLength={100} />
        <select
          className="native"
          aria-label={t("alerts.state")}
          value={filter.state}
          onChange={(e) => set("state", e.target.value === "open" ? "" : e.target.value)}
        >
          <option value="open">{t("alerts.onlyOpen")}</option>
          <option value="all">{t("alerts.withResolved")}</option>
        </select>
        {pick("kind", [...kinds], (k) => t(`alerts.kinds.${k}`))}
        {pick(
          "app",
          apps.map((a) => a.name),
          (a) => a,
        )}
        {pick("idc", [...new Set(apps.flatMap((a) => a.idcs))].sort(), (i) => i)}
      </div>
      <Loaded query={query}>
        {(data) => {
          const rows = data.pages.flatMap((p) => p.items);
          if (!rows.length)
            return text || filter.kind || filter.app || filter.idc ? (
              <Empty title={t("alerts.noMatch")} />
            ) : (
              <Empty
                title={t(filter.state === "open" ? "alerts.calm" : "alerts.none")}
                action={<Link to="/alerts?tab=rules">{t("alerts.seeRules")}</Link>}
              >
                {t("alerts.calmHint")}
              </Empty>
            );
          return (
            <>
              <DataTable
                label={t("alerts.title")}
                columns={columns}
                rows={rows}
                rowKey={(a) => a.id}
                onOpen={(a) => void navigate(path(a))}
                dim={(a) => a.state === "resolved"}
                initialSort={{ key: "fired", down: true }}
              />
              {query.hasNextPage && (
                <div>
                  <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                    {t("alerts.more")}
                  </Button>
                </div>
              )}
            </>
          );
        }}
      </Loaded>
      {acking && <AckDialog alert={acking} onClose={() => setAcking(undefined)} />}
      {silencing && <SilenceDialog alert={silencing} onClose={() => setSilencing(undefined)} />}
    </>
  );
}
