import { Button } from "antd";
import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useJournal } from "../../api/rollout";
import type { Change } from "../../api/types";
import { causeOf } from "../../ui/cause";
import { DataTable, type Column } from "../../ui/DataTable";
import { dateTime, useAgo } from "../../ui/format";
import { PageHead } from "../../ui/marks";
import { UndoButton } from "../../ui/Rollout";
import { Empty, Loaded } from "../../ui/states";

export function ChangesPage() {
  const { t } = useTranslation();
  const ago = useAgo();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const app = params.get("app") || undefined;
  const idc = params.get("idc") || undefined;
  const hours = Number(params.get("hours") ?? 1);
  const query = useJournal({ app, idc, hours });
  const columns = useMemo<Column<Change>[]>(
    () => [
      {
        key: "rev",
        title: t("changes.revision"),
        num: true,
        width: 90,
        render: (c) => <Link to={`/changes/${c.version.revision}`}>#{c.version.revision}</Link>,
      },
      { key: "at", title: t("changes.at"), render: (c) => <span title={dateTime(c.at)}>{ago(c.at)}</span> },
      { key: "app", title: t("points.app"), render: (c) => c.app },
      { key: "idc", title: t("points.idc"), render: (c) => c.idc },
      {
        key: "cause",
        title: t("changes.cause"),
        render: (c) => <span title={causeOf(t, c)}>{causeOf(t, c)}</span>,
      },
      { key: "epoch", title: t("changes.epoch"), num: true, render: (c) => c.version.epoch },
      { key: "do", title: "", render: (c) => <UndoButton revision={c.version.revision} size="small" /> },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
    [t],
  );
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead title={t("changes.title")} />
      <div className="toolbar" data-search>
        <input
          className="native"
          placeholder={t("points.app")}
          aria-label={t("points.app")}
          defaultValue={app}
          onBlur={(e) => set("app", e.target.value.trim())}
          onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
        />
        <input
          className="native"
          placeholder={t("points.idc")}
          aria-label={t("points.idc")}
          defaultValue={idc}
          onBlur={(e) => set("idc", e.target.value.trim())}
          onKeyDown={(e) => e.key === "Enter" && e.currentTarget.blur()}
        />
        <select
          className="native"
          aria-label={t("changes.span")}
          value={hours}
          onChange={(e) => set("hours", e.target.value)}
        >
          {[1, 6, 24, 168].map((h) => (
            <option key={h} value={h}>
              {t(`changes.spans.${h}`)}
            </option>
          ))}
        </select>
      </div>
      <Loaded query={query}>
        {(data) => {
          const rows = data.pages.flatMap((p) => p.items);
          return rows.length ? (
            <>
              <DataTable
                label={t("changes.title")}
                columns={columns}
                rows={rows}
                rowKey={(c) => `${c.version.epoch}.${c.version.revision}`}
                onOpen={(c) => void navigate(`/changes/${c.version.revision}`)}
              />
              {query.hasNextPage && (
                <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t("ui.more")}
                </Button>
              )}
            </>
          ) : (
            <Empty title={t("changes.none")}>{t("changes.noneHint")}</Empty>
          );
        }}
      </Loaded>
    </div>
  );
}
