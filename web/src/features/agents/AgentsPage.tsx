import { useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import type { Agent } from "../../api/types";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { ms, share, useAgo } from "../../ui/format";
import { PageHead } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { useAgents } from "./api";
import { Held, LastAck, Rung, StateTag } from "./marks";

const to = (a: Agent) => `/agents/${encodeURIComponent(a.instance)}`;
const gone = (a: Agent) => a.state === "disconnected" || a.state === "banned";

export function AgentsPage() {
  const { t } = useTranslation();
  const ago = useAgo();
  const navigate = useNavigate();
  const query = useAgents();
  const [params, setParams] = useSearchParams();
  const [text, setText] = useAddressText();
  const needle = useDeferredValue(text.toLowerCase());
  const filter = {
    app: params.get("app") ?? "",
    idc: params.get("idc") ?? "",
    state: params.get("state") ?? "",
  };
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );

  const columns = useMemo<Column<Agent>[]>(
    () => [
      {
        key: "instance",
        title: t("agents.instance"),
        render: (a) => (
          <Link to={to(a)} className="mono">
            {a.instance}
          </Link>
        ),
        sort: byText((a) => a.instance),
      },
      {
        key: "state",
        title: t("agents.state"),
        render: (a) => <StateTag agent={a} />,
        sort: byText((a) => a.state),
      },
      { key: "app", title: t("agents.app"), render: (a) => a.app, sort: byText((a) => `${a.app} ${a.idc}`) },
      { key: "idc", title: t("agents.idc"), render: (a) => a.idc, sort: byText((a) => a.idc) },
      { key: "host", title: t("agents.host"), render: (a) => a.host, sort: byText((a) => a.host) },
      { key: "build", title: t("agents.build"), render: (a) => a.build, sort: byText((a) => a.build) },
      { key: "sdk", title: "SDK", render: (a) => a.sdk, sort: byText((a) => a.sdk) },
      {
        key: "held",
        title: t("agents.held"),
        render: (a) => <Held agent={a} />,
        sort: byNumber((a) => a.held.revision),
      },
      {
        key: "ack",
        title: t("agents.lastAck"),
        render: (a) => <LastAck agent={a} />,
        sort: byText((a) => String(a.last_ack?.refused)),
      },
      {
        key: "rung",
        title: t("agents.rung"),
        render: (a) => <Rung agent={a} />,
        sort: byText((a) => a.rung),
      },
      {
        key: "clock",
        title: t("agents.clock"),
        num: true,
        render: (a) =>
          gone(a) ? (
            "–"
          ) : (
            <span className={Math.abs(a.clock_offset_ms) > 1000 ? "danger" : ""}>
              {ms(a.clock_offset_ms)}
            </span>
          ),
        sort: byNumber((a) => Math.abs(a.clock_offset_ms)),
      },
      {
        key: "cpu",
        title: "CPU",
        num: true,
        render: (a) => (gone(a) ? "–" : share(a.cpu, 0)),
        sort: byNumber((a) => a.cpu),
      },
      {
        key: "seen",
        title: t("agents.seen"),
        render: (a) => <span className="soft">{ago(a.seen_at)}</span>,
        sort: byText((a) => a.seen_at ?? ""),
      },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
    [t],
  );

  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead title={t("agents.title")} />
      <Loaded query={query}>
        {(items) => {
          if (!items.length)
            return (
              <Empty
                title={t("agents.none")}
                action={<Link to="/settings?tab=enrolment">{t("agents.enrol")}</Link>}
              >
                {t("agents.noneHint")}
              </Empty>
            );
          const rows = items.filter(
            (a) =>
              (!filter.app || a.app === filter.app) &&
              (!filter.idc || a.idc === filter.idc) &&
              (!filter.state || a.state === filter.state) &&
              (!needle ||
                `${a.instance} ${a.host} ${a.app} ${a.idc} ${a.build}`.toLowerCase().includes(needle)),
          );
          const values = (of: (a: Agent) => string) => [...new Set(items.map(of))].sort();
          const pick = (key: keyof typeof filter, options: string[]) => (
            <select
              className="native"
              aria-label={t(`agents.${key}`)}
              value={filter[key]}
              onChange={(e) => set(key, e.target.value)}
            >
              <option value="">
                {t(`agents.${key}`)}: {t("ui.all")}
              </option>
              {options.map((o) => (
                <option key={o} value={o}>
                  {key === "state" ? t(`agents.states.${o}`) : o}
                </option>
              ))}
            </select>
          );
          return (
            <>
              <div className="toolbar" data-search>
                <SearchField label={t("agents.search")} text={text} onText={setText} />
                {pick(
                  "app",
                  values((a) => a.app),
                )}
                {pick(
                  "idc",
                  values((a) => a.idc),
                )}
                {pick(
                  "state",
                  values((a) => a.state),
                )}
                <span className="soft grow" style={{ textAlign: "right" }}>
                  {t("agents.count", { count: rows.length, of: items.length })}
                </span>
              </div>
              {rows.length ? (
                <DataTable
                  label={t("agents.title")}
                  columns={columns}
                  rows={rows}
                  rowKey={(a) => a.instance}
                  onOpen={(a) => void navigate(to(a))}
                  dim={gone}
                  initialSort={{ key: "app" }}
                />
              ) : (
                <Empty title={t("agents.noMatch")} />
              )}
            </>
          );
        }}
      </Loaded>
    </div>
  );
}
