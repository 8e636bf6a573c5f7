import { Button, Input } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useNavigate, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import type { Template } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { useAgo } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHead, Tag } from "../../ui/marks";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { copy, create, useTemplates } from "./api";
import { blank } from "./document";

const to = (name: string) => `/templates/${encodeURIComponent(name)}`;

export function Library() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const ago = useAgo();
  const query = useTemplates();
  const [params, setParams] = useSearchParams();
  const mayEdit = useCan("edit");
  const [copying, setCopying] = useState<string>();
  const [text, setText] = useAddressText();
  const tags = params.getAll("tag");
  const set = (change: (p: URLSearchParams) => void) =>
    setParams(
      (p) => {
        change(p);
        return p;
      },
      { replace: true },
    );

  const columns = useMemo<Column<Template>[]>(
    () => [
      {
        key: "name",
        title: t("templates.name"),
        render: (r) => (
          <>
            <Link to={to(r.name)}>
              <strong>{r.name}</strong>
            </Link>{" "}
            <span className="soft">{r.description}</span>
          </>
        ),
        sort: byText((r) => r.name),
      },
      {
        key: "state",
        title: t("templates.state"),
        render: (r) => (
          <span className="tags">
            {r.latest ? <Tag tone="good">v{r.latest}</Tag> : <Tag>{t("templates.unpublished")}</Tag>}
            {r.has_draft && <Tag tone="warn">{t("templates.draft")}</Tag>}
          </span>
        ),
        sort: byNumber((r) => r.latest),
      },
      {
        key: "strategy",
        title: t("templates.strategy"),
        render: (r) => t(`templates.kinds.${r.strategy}`),
        sort: byText((r) => r.strategy),
      },
      {
        key: "levels",
        title: t("templates.levels"),
        num: true,
        render: (r) => r.levels,
        sort: byNumber((r) => r.levels),
      },
      {
        key: "params",
        title: t("templates.parameters"),
        num: true,
        render: (r) => r.parameters,
        sort: byNumber((r) => r.parameters),
      },
      {
        key: "used",
        title: t("templates.used"),
        num: true,
        render: (r) =>
          r.bindings ? (
            <Link to={`/bindings?template=${encodeURIComponent(r.name)}`}>{r.bindings}</Link>
          ) : (
            <span className="soft">0</span>
          ),
        sort: byNumber((r) => r.bindings),
      },
      {
        key: "tags",
        title: t("templates.tags"),
        render: (r) => (
          <span className="tags">
            {(r.tags ?? []).map((x) => (
              <Tag key={x}>{x}</Tag>
            ))}
          </span>
        ),
      },
      {
        key: "updated",
        title: t("templates.updated"),
        render: (r) => (
          <span title={r.updated_at}>
            {ago(r.updated_at)} <span className="soft">{r.updated_by}</span>
          </span>
        ),
        sort: byText((r) => r.updated_at),
      },
      {
        key: "do",
        title: "",
        width: 40,
        render: (r) =>
          mayEdit && (
            <button
              type="button"
              className="icon-button"
              aria-label={`${t("templates.copy")} ${r.name}`}
              title={t("templates.copy")}
              onClick={() => setCopying(r.name)}
            >
              <Icon name="copy" size={14} />
            </button>
          ),
      },
    ],
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
    [t, mayEdit],
  );

  return (
    <div className="page">
      <PageHead
        title={t("templates.title")}
        actions={
          mayEdit && (
            <Button
              type="primary"
              icon={<Icon name="plus" size={13} />}
              onClick={() => set((p) => p.set("new", "1"))}
            >
              {t("templates.new")}
            </Button>
          )
        }
      />
      <Loaded query={query}>
        {(items) => {
          const known = [...new Set(items.flatMap((i) => i.tags ?? []))].sort();
          const needle = text.toLowerCase();
          const rows = items.filter(
            (i) =>
              (!needle ||
                `${i.name} ${i.description ?? ""} ${(i.tags ?? []).join(" ")}`
                  .toLowerCase()
                  .includes(needle)) &&
              tags.every((x) => (i.tags ?? []).includes(x)),
          );
          if (!items.length)
            return (
              <Empty
                title={t("templates.none")}
                action={
                  mayEdit && (
                    <Button type="primary" onClick={() => set((p) => p.set("new", "1"))}>
                      {t("templates.new")}
                    </Button>
                  )
                }
              >
                {t("templates.noneHint")}
              </Empty>
            );
          return (
            <>
              <div className="toolbar" data-search>
                <SearchField label={t("templates.search")} text={text} onText={setText} width={260} />
                {known.map((x) => (
                  <button
                    key={x}
                    type="button"
                    className="tag"
                    aria-pressed={tags.includes(x)}
                    onClick={() =>
                      set((p) => {
                        p.delete("tag");
                        (tags.includes(x) ? tags.filter((y) => y !== x) : [...tags, x]).forEach((y) =>
                          p.append("tag", y),
                        );
                      })
                    }
                  >
                    {x}
                  </button>
                ))}
                <span className="soft grow" style={{ textAlign: "right" }}>
                  {t("templates.count", { count: rows.length })}
                </span>
              </div>
              <DataTable
                label={t("templates.title")}
                columns={columns}
                rows={rows}
                rowKey={(r) => r.id}
                onOpen={(r) => void navigate(to(r.name))}
                initialSort={{ key: "name" }}
              />
            </>
          );
        }}
      </Loaded>
      {params.get("new") && (
        <NewTemplate
          known={query.data ?? []}
          onClose={() => set((p) => p.delete("new"))}
          onDone={(name) => void navigate(to(name))}
        />
      )}
      {copying && (
        <CopyTemplate
          from={copying}
          onClose={() => setCopying(undefined)}
          onDone={(name) => void navigate(to(name))}
        />
      )}
    </div>
  );
}

const wellNamed = (s: string) => /^[a-z0-9][a-z0-9._-]{0,62}$/.test(s);

function NewTemplate(props: { known: Template[]; onClose: () => void; onDone: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState("");
  const [from, setFrom] = useState("");
  return (
    <Ask
      title={t("templates.new")}
      ok={t("ui.create")}
      noReason
      okDisabled={!wellNamed(name)}
      onClose={props.onClose}
      onOk={async () => {
        await (from ? copy(from, name, "") : create(blank(name)));
        props.onDone(name);
      }}
    >
      <Field
        label={t("templates.name")}
        hint={t("templates.nameHint")}
        error={name && !wellNamed(name) ? t("templates.nameBad") : undefined}
      >
        <Input autoFocus value={name} onChange={(e) => setName(e.target.value)} />
      </Field>
      <Field label={t("templates.startFrom")}>
        <select className="native" value={from} onChange={(e) => setFrom(e.target.value)}>
          <option value="">{t("templates.empty")}</option>
          {props.known.map((k) => (
            <option key={k.id} value={k.name}>
              {k.name}
            </option>
          ))}
        </select>
      </Field>
    </Ask>
  );
}

export function CopyTemplate(props: { from: string; onClose: () => void; onDone: (name: string) => void }) {
  const { t } = useTranslation();
  const [name, setName] = useState(`${props.from}-copy`.slice(0, 63));
  return (
    <Ask
      title={t("templates.copyTitle", { name: props.from })}
      ok={t("templates.copy")}
      okDisabled={!wellNamed(name)}
      onClose={props.onClose}
      onOk={async (reason) => {
        await copy(props.from, name, reason);
        props.onDone(name);
      }}
    >
      <Field
        label={t("templates.name")}
        hint={t("templates.nameHint")}
        error={!wellNamed(name) ? t("templates.nameBad") : undefined}
      >
        <Input autoFocus value={name} onChange={(e) => setName(e.target.value)} />
      </Field>
    </Ask>
  );
}
