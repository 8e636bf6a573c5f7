import { Button } from "antd";
import { useDeferredValue, useMemo } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { showLeaderboard } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { DataTable } from "../../ui/DataTable";
import { dateTime } from "../../ui/format";
import { PageHead } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { exportPath, groups, queryOf, sorts, useApps, useBoard, windows, type BoardRow } from "./api";
import { idOf, useColumns } from "./columns";
import "./leaderboard.css";

const pathOf = (r: BoardRow) =>
  `/points/${[r.scene, r.idc, r.app, r.point].map(encodeURIComponent).join("/")}`;

/** Points by how their levels stand and move, beside the stretch before. */
export function LeaderboardPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const query = useMemo(() => queryOf(params), [params]);
  const board = useBoard(query);
  const apps = useApps();
  const columns = useColumns(query.group);
  const [text, setText] = useAddressText();
  const needle = useDeferredValue(text.toLowerCase());
  const set = (change: Record<string, string | undefined>) =>
    setParams(
      (p) => {
        for (const [k, v] of Object.entries(change))
          if (v) p.set(k, v);
          else p.delete(k);
        return p;
      },
      { replace: true },
    );
  const known = (of: (r: BoardRow) => string, now: string | undefined) =>
    [...new Set([...(board.data?.items ?? []).map(of), ...(now ? [now] : [])])].filter(Boolean).sort();
  const choices = {
    app: apps.data?.items.map((a) => a.name) ?? known((r) => r.app, query.app),
    idc: [...new Set(apps.data?.items.flatMap((a) => a.idcs) ?? known((r) => r.idc, query.idc))].sort(),
    scene: known((r) => r.scene, query.scene),
  };
  const pick = (key: "window" | "group" | "sort", options: readonly string[]) => (
    <select
      className="native"
      aria-label={t(`leaderboard.${key}`)}
      value={query[key]}
      onChange={(e) => set({ [key]: e.target.value === options[0] ? undefined : e.target.value })}
    >
      {options.map((o) => (
        <option key={o} value={o}>
          {t(`leaderboard.${key}s.${o}`)}
        </option>
      ))}
    </select>
  );
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead
        title={t("leaderboard.title")}
        actions={
          <>
            <CopyAs cli={showLeaderboard(query)} />
            <Button href={exportPath(query)} download>
              {t("leaderboard.export")}
            </Button>
          </>
        }
      >
        {board.data && (
          <span className="soft">
            {t(board.data.live ? "leaderboard.stretchLive" : "leaderboard.stretch", {
              from: dateTime(board.data.from),
              to: dateTime(board.data.to),
              step: t(board.data.step_ms > 60_000 ? "leaderboard.byHour" : "leaderboard.byMinute"),
            })}
          </span>
        )}
      </PageHead>
      <div className="toolbar" data-search>
        <SearchField label={t("leaderboard.search")} text={text} onText={setText} width={200} />
        {pick("window", windows)}
        {pick("sort", sorts)}
        {pick("group", groups)}
        {(["app", "idc", "scene"] as const).map((key) => (
          <select
            key={key}
            className="native"
            aria-label={t(`leaderboard.${key}`)}
            value={query[key] ?? ""}
            onChange={(e) => set({ [key]: e.target.value })}
          >
            <option value="">
              {t(`leaderboard.${key}`)}: {t("ui.all")}
            </option>
            {choices[key].map((o) => (
              <option key={o} value={o}>
                {o}
              </option>
            ))}
          </select>
        ))}
        {query.window !== "live" && (
          <label className="row soft">
            {t("leaderboard.until")}
            <input
              type="datetime-local"
              className="native"
              value={query.to ? localTime(query.to) : ""}
              onChange={(e) => set({ to: e.target.value && new Date(e.target.value).toISOString() })}
            />
          </label>
        )}
      </div>
      <Loaded query={board}>
        {(b) => {
          if (!b.items.length)
            return <Empty title={t("leaderboard.none")}>{t("leaderboard.noneHint")}</Empty>;
          const rows = b.items.filter(
            (r) => !needle || `${r.app} ${r.point} ${r.scene} ${r.idc}`.toLowerCase().includes(needle),
          );
          return rows.length ? (
            <DataTable
              label={t("leaderboard.title")}
              columns={columns}
              rows={rows}
              rowKey={idOf}
              dim={() => board.isPlaceholderData}
              onOpen={(r) => {
                if (query.group === "point") void navigate(pathOf(r));
                else set({ group: undefined, [query.group]: r[query.group] });
              }}
            />
          ) : (
            <Empty title={t("points.noMatch")} />
          );
        }}
      </Loaded>
    </div>
  );
}

/** An instant as the browser's field for local times wants it. */
function localTime(iso: string): string {
  const at = new Date(iso);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}
