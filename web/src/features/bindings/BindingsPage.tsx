import { Button } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import type { Binding } from "../../api/types";
import { bindTemplate } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { byNumber, byText, DataTable, type Column } from "../../ui/DataTable";
import { useAgo } from "../../ui/format";
import { Icon } from "../../ui/icons";
import { PageHead, Tag } from "../../ui/marks";
import { RolloutDrawer } from "../../ui/Rollout";
import { Empty, Loaded } from "../../ui/states";
import { SearchField } from "../../ui/SearchField";
import { useAddressText } from "../../ui/useAddressText";
import { useBindings } from "./api";
import { BindingDialog, DeleteDialog } from "./BindingDialog";

export function specificity(b: Binding): number {
  return [b.selector.scene, b.selector.idc, b.selector.app, b.selector.point].filter((x) => x !== "*").length;
}

export function BindingsPage() {
  const { t } = useTranslation();
  const ago = useAgo();
  const query = useBindings();
  const may = useCan("bind");
  const [params, setParams] = useSearchParams();
  const [editing, setEditing] = useState<Binding>();
  const [deleting, setDeleting] = useState<Binding>();
  const [rollout, setRollout] = useState<number>();
  const [text, setText] = useAddressText();
  const template = params.get("template") ?? "";
  const set = (change: (p: URLSearchParams) => void) =>
    setParams(
      (p) => {
        change(p);
        return p;
      },
      { replace: true },
    );
  const columns = useMemo<Column<Binding>[]>(() => {
    const any = (v: string) => (v === "*" ? <span className="soft">{t("ui.any")}</span> : v);
    return [
      {
        key: "scene",
        title: t("points.scene"),
        render: (b) => any(b.selector.scene),
        sort: byText((b) => b.selector.scene),
      },
      {
        key: "idc",
        title: t("points.idc"),
        render: (b) => any(b.selector.idc),
        sort: byText((b) => b.selector.idc),
      },
      {
        key: "app",
        title: t("points.app"),
        render: (b) => any(b.selector.app),
        sort: byText((b) => b.selector.app),
      },
      {
        key: "point",
        title: t("points.point"),
        render: (b) => any(b.selector.point),
        sort: byText((b) => b.selector.point),
      },
      {
        key: "spec",
        title: t("bindings.specificity"),
        num: true,
        render: specificity,
        sort: byNumber(specificity),
      },
      {
        key: "template",
        title: t("points.template"),
        render: (b) => <Link to={`/templates/${encodeURIComponent(b.template)}`}>{b.template}</Link>,
        sort: byText((b) => b.template),
      },
      {
        key: "pin",
        title: t("templates.version"),
        render: (b) =>
          b.pin ? (
            <Tag tone="warn">{t("bindings.pinned", { version: b.pin })}</Tag>
          ) : (
            <Tag>{t("bindings.follows")}</Tag>
          ),
        sort: byNumber((b) => b.pin),
      },
      {
        key: "updated",
        title: t("templates.updated"),
        render: (b) => (
          <>
            {ago(b.updated_at)} <span className="soft">{b.updated_by}</span>
          </>
        ),
        sort: byText((b) => b.updated_at),
      },
      {
        key: "do",
        title: "",
        render: (b) => (
          <span className="row" style={{ justifyContent: "flex-end" }}>
            <CopyAs
              size="small"
              yaml={() => ({ selector: b.selector, template: b.template, pin: b.pin || undefined })}
              cli={bindTemplate(b)}
            />
            {may && (
              <>
                <Button size="small" onClick={() => setEditing(b)}>
                  {t("ui.edit")}
                </Button>
                <Button size="small" danger onClick={() => setDeleting(b)}>
                  {t("ui.delete")}
                </Button>
              </>
            )}
          </span>
        ),
      },
    ];
    // eslint-disable-next-line react-hooks/exhaustive-deps -- ago only depends on the language, as t does
  }, [t, may]);

  const open = () => set((p) => p.set("new", "1"));
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <PageHead
        title={t("bindings.title")}
        actions={
          may && (
            <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={open}>
              {t("bindings.new")}
            </Button>
          )
        }
      >
        <span className="soft">{t("bindings.rule")}</span>
      </PageHead>
      <Loaded query={query}>
        {(items) => {
          if (!items.length)
            return (
              <Empty
                title={t("bindings.none")}
                action={
                  may && (
                    <Button type="primary" onClick={open}>
                      {t("bindings.new")}
                    </Button>
                  )
                }
              >
                {t("bindings.noneHint")}
              </Empty>
            );
          const needle = text.toLowerCase();
          const rows = items.filter(
            (b) =>
              (!template || b.template === template) &&
              (!needle ||
                `${Object.values(b.selector).join(" ")} ${b.template}`.toLowerCase().includes(needle)),
          );
          return (
            <>
              <div className="toolbar" data-search>
                <SearchField label={t("bindings.search")} text={text} onText={setText} />
                {template && (
                  <button
                    type="button"
                    className="tag"
                    aria-pressed="true"
                    onClick={() => set((p) => p.delete("template"))}
                  >
                    {template} <Icon name="close" size={10} />
                  </button>
                )}
              </div>
              <DataTable
                label={t("bindings.title")}
                columns={columns}
                rows={rows}
                rowKey={(b) => b.id}
                initialSort={{ key: "spec", down: true }}
              />
            </>
          );
        }}
      </Loaded>
      {(params.get("new") || editing) && (
        <BindingDialog
          binding={editing}
          template={template}
          onClose={() => {
            setEditing(undefined);
            set((p) => p.delete("new"));
          }}
          onDone={() => setRollout(Date.now())}
        />
      )}
      {deleting && (
        <DeleteDialog
          binding={deleting}
          onClose={() => setDeleting(undefined)}
          onDone={() => setRollout(Date.now())}
        />
      )}
      {rollout && (
        <RolloutDrawer
          since={rollout}
          title={t("templates.rollout")}
          about={["bound to", "unbound from", "binding "]}
          onClose={() => setRollout(undefined)}
        />
      )}
    </div>
  );
}
