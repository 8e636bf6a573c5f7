import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { Button, Drawer } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { client, take } from "../../api/client";
import { useRefresh } from "../../api/live";
import type { Page } from "../../api/rollout";
import type { AuditEntry, AuditVerification } from "../../api/types";
import { reasonBy } from "../../ui/cause";
import { listAudit } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { DataTable, type Column } from "../../ui/DataTable";
import { DiffTable } from "../../ui/DiffTable";
import { dateTime, useAgo } from "../../ui/format";
import { PageHead, Tag } from "../../ui/marks";
import { Empty, Loaded, ProblemBox } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";

// What the rooms write; kinds met in the log itself are added below.
const kinds = [
  "agent",
  "allocation",
  "binding",
  "claim",
  "enrolment-token",
  "plan",
  "profile",
  "quota-group",
  "scene",
  "session",
  "settings",
  "template",
  "token",
  "user",
];
const keys = ["search", "actor", "verb", "kind", "app", "idc", "people"] as const;

export function AuditPage() {
  const { t } = useTranslation();
  const ago = useAgo();
  const [params, setParams] = useSearchParams();
  const [opened, setOpened] = useState<AuditEntry>();
  const [text, setText] = useAddressText("search");
  const filter = Object.fromEntries(
    keys.flatMap((k) => (params.get(k) ? [[k, params.get(k)!]] : [])),
  ) as Partial<Record<(typeof keys)[number], string>>;
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );
  const query = useInfiniteQuery({
    queryKey: ["audit", filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      take<Page<AuditEntry>>(
        client.GET("/api/v1/audit", {
          params: { query: { ...filter, people: filter.people === "true", cursor: pageParam, limit: 100 } },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
    refetchInterval: useRefresh(15_000),
  });
  const columns = useMemo<Column<AuditEntry>[]>(
    () => [
      { key: "seq", title: "#", num: true, width: 60, render: (e) => e.seq },
      { key: "at", title: t("audit.at"), render: (e) => <span title={dateTime(e.at)}>{ago(e.at)}</span> },
      { key: "actor", title: t("audit.actor"), render: (e) => <strong>{e.actor}</strong> },
      {
        key: "via",
        title: t("audit.via"),
        render: (e) => <Tag>{t(`audit.vias.${e.via}`, { defaultValue: e.via })}</Tag>,
      },
      {
        key: "verb",
        title: t("audit.verb"),
        render: (e) => t(`audit.verbs.${e.verb}`, { defaultValue: e.verb }),
      },
      {
        key: "what",
        title: t("audit.what"),
        max: 270,
        render: (e) => (
          <>
            <span className="soft">{t(`audit.kinds.${e.kind}`, { defaultValue: e.kind })}</span>{" "}
            {e.name || e.object}
          </>
        ),
      },
      { key: "scope", title: t("audit.scope"), render: (e) => [e.app, e.idc].filter(Boolean).join(" · ") },
      {
        key: "reason",
        title: t("ui.reason"),
        max: 230,
        render: (e) => <span title={reasonBy(e.actor, e.reason)}>{reasonBy(e.actor, e.reason)}</span>,
      },
      { key: "diff", title: t("audit.changes"), num: true, render: (e) => e.diff?.length ?? 0 },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
    [t],
  );
  const met = query.data?.pages.flatMap((p) => p.items.map((e) => e.kind)) ?? [];
  const known = [...new Set([...kinds, ...met, ...(filter.kind ? [filter.kind] : [])])].sort();
  const exported = `/api/v1/audit/export?${new URLSearchParams(filter).toString()}`;
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead
        title={t("audit.title")}
        actions={
          <Button href={exported} download>
            {t("audit.export")}
          </Button>
        }
      >
        <Chain />
      </PageHead>
      <div className="toolbar" data-search>
        <SearchField label={t("ui.search")} text={text} onText={setText} width={220} />
        <select
          className="native"
          aria-label={t("audit.people")}
          value={filter.people ?? ""}
          onChange={(e) => set("people", e.target.value)}
        >
          <option value="">{t("audit.everyone")}</option>
          <option value="true">{t("audit.people")}</option>
        </select>
        <Narrowed by="actor" label={t("audit.actor")} />
        <select
          className="native"
          aria-label={t("audit.kind")}
          value={filter.kind ?? ""}
          onChange={(e) => set("kind", e.target.value)}
        >
          <option value="">
            {t("audit.kind")}: {t("ui.all")}
          </option>
          {known.map((k) => (
            <option key={k} value={k}>
              {t(`audit.kinds.${k}`, { defaultValue: k })}
            </option>
          ))}
        </select>
        <Narrowed by="app" label={t("points.app")} />
        <Narrowed by="idc" label={t("points.idc")} />
      </div>
      <Loaded query={query}>
        {(data) => {
          const rows = data.pages.flatMap((p) => p.items);
          return rows.length ? (
            <>
              <DataTable
                label={t("audit.title")}
                columns={columns}
                rows={rows}
                rowKey={(e) => String(e.seq)}
                onOpen={setOpened}
              />
              {query.hasNextPage && (
                <Button loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
                  {t("ui.more")}
                </Button>
              )}
            </>
          ) : (
            <Empty title={t("audit.none")} />
          );
        }}
      </Loaded>
      {opened && <Entry entry={opened} onClose={() => setOpened(undefined)} />}
    </div>
  );
}

/** Whether the hash chain still holds. Walking it reads the whole log, so it is done on demand. */
function Chain() {
  const { t } = useTranslation();
  const [wanted, setWanted] = useState(false);
  const query = useQuery({
    queryKey: ["audit-verification"],
    enabled: wanted,
    staleTime: Infinity,
    queryFn: ({ signal }) => take<AuditVerification>(client.GET("/api/v1/audit/verification", { signal })),
  });
  const check = () => (wanted ? void query.refetch() : setWanted(true));
  return (
    <span className="row">
      {query.data &&
        (query.data.ok ? (
          <Tag tone="good" title={query.data.head}>
            {t("audit.intact", { entries: query.data.entries, head: query.data.head.slice(0, 12) })}
          </Tag>
        ) : (
          <Tag tone="bad">{t("audit.broken", { at: query.data.broken_at, problem: query.data.problem })}</Tag>
        ))}
      {query.error && <ProblemBox error={query.error} />}
      <Button size="small" loading={query.isFetching} onClick={check}>
        {t("audit.verify")}
      </Button>
    </span>
  );
}

function Entry({ entry: e, onClose }: { entry: AuditEntry; onClose: () => void }) {
  const { t } = useTranslation();
  return (
    <Drawer
      open
      size={620}
      title={`#${e.seq} · ${e.verb} ${e.kind} ${e.name}`}
      onClose={onClose}
      extra={<CopyAs size="small" yaml={() => e} cli={listAudit(e)} />}
    >
      <div className="stack">
        <dl className="facts">
          <dt>{t("audit.at")}</dt>
          <dd>{dateTime(e.at)}</dd>
          <dt>{t("audit.actor")}</dt>
          <dd>
            {e.actor} <Tag>{t(`audit.vias.${e.via}`, { defaultValue: e.via })}</Tag>{" "}
            <span className="soft">{e.address}</span>
          </dd>
          <dt>{t("ui.reason")}</dt>
          <dd>{reasonBy(e.actor, e.reason) || "–"}</dd>
          <dt>{t("audit.object")}</dt>
          <dd className="mono">{e.object}</dd>
          <dt>{t("ui.request")}</dt>
          <dd className="mono">{e.request_id || "–"}</dd>
          <dt>{t("templates.hash")}</dt>
          <dd className="mono">{e.hash}</dd>
        </dl>
        <DiffTable changes={e.diff ?? []} label={t("audit.changes")} />
      </div>
    </Drawer>
  );
}

/** A field whose text the address keeps; the list is asked for when typing rests. */
function Narrowed({ by, label }: { by: (typeof keys)[number]; label: string }) {
  const [text, setText] = useAddressText(by);
  return (
    <input
      className="native"
      placeholder={label}
      aria-label={label}
      value={text}
      onChange={(e) => setText(e.target.value)}
    />
  );
}
