import { App, Button, Dropdown, Tooltip } from "antd";
import { lazy, Suspense, useCallback, useDeferredValue, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useBlocker, useNavigate, useParams, useSearchParams } from "react-router";
import { asProblem, Problem } from "../../api/problem";
import { useCan } from "../../api/session";
import type { TemplateDetail, TemplateDocument } from "../../api/types";
import { Ask } from "../../ui/Ask";
import { getTemplate } from "../../ui/commands";
import { ConflictBox } from "../../ui/ConflictBox";
import { CopyAs } from "../../ui/CopyAs";
import { Icon } from "../../ui/icons";
import { PageHead, Tag } from "../../ui/marks";
import { RolloutDrawer } from "../../ui/Rollout";
import { Empty, Loaded, ProblemBox, Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import * as api from "./api";
import { Checks, type Jump } from "./Checks";
import { DiffView } from "./DiffView";
import { blank, fromWire, sideOf, toJSON, type Doc } from "./document";
import { GearsTab } from "./GearsTab";
import { HistoryTab } from "./HistoryTab";
import { HeadFields, ParametersTab } from "./ParametersTab";
import { PublishDialog } from "./PublishDialog";
import { read } from "./read";
import { StrategyTab } from "./StrategyTab";
import { treeOf } from "./tree";
import { UsageTab } from "./UsageTab";
import { useEditor } from "./useEditor";
import { useSettled } from "../../ui/useSettled";
import { CopyTemplate } from "./Library";

const YamlTab = lazy(() => import("./YamlTab"));

export function EditorPage() {
  const { name = "" } = useParams();
  const query = api.useTemplate(name);
  return (
    <div className="page" style={{ overflow: "hidden" }}>
      <Loaded query={query}>{(detail) => <Editor key={detail.id} detail={detail} />}</Loaded>
    </div>
  );
}

const contentOf = (d: TemplateDetail): TemplateDocument | undefined => d.draft ?? d.published ?? undefined;

function Editor({ detail }: { detail: TemplateDetail & { etag: string } }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [params, setParams] = useSearchParams();
  const tab = params.get("tab") ?? "gears";
  const [base, setBase] = useState({ etag: detail.etag, version: detail.version });
  const start = useMemo(() => {
    const content = contentOf(detail);
    return content ? fromWire(content) : blank(detail.name);
    // Only the first content starts the editor; later ones are offered, never forced.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, []);
  const ed = useEditor(start);
  const { doc, edit, dirty, reset } = ed;
  const mayEdit = useCan("edit");
  const mayPublish = useCan("publish");
  const [jump, setJump] = useState<Jump>();
  const [dialog, setDialog] = useState<"publish" | "copy" | "delete" | "drop" | "force">();
  const [busy, setBusy] = useState(false);
  const [failed, setFailed] = useState<unknown>();
  const [rollout, setRollout] = useState<number>();
  const [yamlBroken, setYamlBroken] = useState(false);

  // Checking follows typing at lower priority, so that a keystroke paints first.
  const later = useDeferredValue(doc);
  const local = useMemo(() => read(treeOf(later)).problems, [later]);
  const body = useMemo(() => toJSON(later), [later]);
  const settled = useSettled(body, 500);
  const server = api.useServerCheck(local.length ? undefined : later, settled);

  const setTab = (key: string) =>
    setParams(
      (p) => {
        p.set("tab", key);
        return p;
      },
      { replace: true },
    );

  const take = useCallback(
    (d: TemplateDetail & { etag?: string }) => {
      setBase({ etag: d.etag ?? `"${d.version}"`, version: d.version });
      const content = contentOf(d);
      if (content) reset(fromWire(content));
      setFailed(undefined);
    },
    [reset],
  );

  // Somebody else saved while nothing is being edited here: follow.
  const fresh = detail.version > base.version;
  useEffect(() => {
    if (fresh && !dirty && !busy) take(detail);
  }, [fresh, dirty, busy, detail, take]);

  const save = async (etag = base.etag, force = false) => {
    setBusy(true);
    setFailed(undefined);
    try {
      const saved = await api.saveDraft(detail.name, doc, etag, force);
      take(saved);
      void message.success(t("templates.saved"));
      if (saved.name !== detail.name)
        void navigate(`/templates/${encodeURIComponent(saved.name)}`, { replace: true });
      return true;
    } catch (e) {
      setFailed(e);
      if (asProblem(e).code === "refused") setDialog("force");
      return false;
    } finally {
      setBusy(false);
    }
  };

  useEffect(() => {
    const onKey = (e: KeyboardEvent) => {
      if ((e.metaKey || e.ctrlKey) && e.key.toLowerCase() === "s") {
        e.preventDefault();
        document.getElementById("template-save")?.click();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);

  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => dirty && currentLocation.pathname !== nextLocation.pathname,
  );
  useEffect(() => {
    if (!dirty) return;
    const onLeave = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [dirty]);

  const go = (j: Jump) => {
    setJump(j);
    if (tab !== "yaml") setTab(j.tab);
  };
  const conflict = failed instanceof Problem && failed.code === "stale" ? failed : undefined;
  const readOnly = !mayEdit;
  const problemCount = local.length;

  const tabs = [
    { key: "gears", label: t("templates.tabs.gears") },
    { key: "parameters", label: t("templates.tabs.parameters") },
    { key: "strategy", label: t("templates.tabs.strategy") },
    { key: "yaml", label: "YAML" },
    { key: "diff", label: t("templates.tabs.diff") },
    { key: "history", label: t("templates.tabs.history") },
    { key: "usage", label: t("templates.tabs.usage") },
  ];

  return (
    <>
      <PageHead
        title={detail.name}
        actions={
          <>
            <Tooltip title={`${t("templates.undo")} (⌘Z)`}>
              <Button
                icon={<Icon name="undo" size={13} />}
                aria-label={t("templates.undo")}
                disabled={!ed.canUndo}
                onClick={ed.undo}
              />
            </Tooltip>
            <CopyAs yaml={() => JSON.parse(toJSON(doc)) as unknown} cli={getTemplate(detail.name)} />
            <Dropdown
              trigger={["click"]}
              menu={{
                items: [
                  {
                    key: "copy",
                    label: t("templates.copy"),
                    disabled: !mayEdit,
                    onClick: () => setDialog("copy"),
                  },
                  {
                    key: "drop",
                    label: t("templates.dropDraft"),
                    disabled: !mayEdit || !detail.has_draft || !detail.latest,
                    onClick: () => setDialog("drop"),
                  },
                  { type: "divider" },
                  {
                    key: "delete",
                    label: t("templates.delete"),
                    danger: true,
                    disabled: !mayEdit || detail.bindings > 0,
                    onClick: () => setDialog("delete"),
                  },
                ],
              }}
            >
              <Button icon={<Icon name="more" size={13} />} aria-label={t("templates.more")} />
            </Dropdown>
            {mayEdit && (
              <Button
                id="template-save"
                loading={busy}
                disabled={!dirty || problemCount > 0 || yamlBroken}
                title={problemCount ? t("templates.fixFirst") : "⌘S"}
                onClick={() => void save()}
              >
                {t("templates.save")}
              </Button>
            )}
            {mayPublish && (
              <Button
                type="primary"
                disabled={problemCount > 0 || yamlBroken || busy || (!dirty && !detail.has_draft)}
                onClick={() => void (async () => (!dirty || (await save())) && setDialog("publish"))()}
              >
                {t("templates.publish")}
              </Button>
            )}
          </>
        }
      >
        {detail.latest ? <Tag tone="good">v{detail.latest}</Tag> : <Tag>{t("templates.unpublished")}</Tag>}
        {detail.has_draft && <Tag tone="warn">{t("templates.draft")}</Tag>}
        {dirty && <Tag tone="info">{t("templates.unsaved")}</Tag>}
        {readOnly && <Tag>{t("templates.readOnly")}</Tag>}
      </PageHead>
      {conflict ? (
        <ConflictBox
          problem={conflict}
          text={sideOf}
          onTheirs={() => take(detail)}
          onMine={() => void save(conflict.body.conflict?.etag ?? detail.etag)}
        />
      ) : (
        failed !== undefined && dialog !== "force" && <ProblemBox error={failed} />
      )}
      {fresh && dirty && !conflict && (
        <div className="note warn">{t("templates.changedBy", { who: detail.updated_by })}</div>
      )}
      <Tabs label={t("templates.sections")} items={tabs} value={tab} onChange={setTab} />
      <div className="split">
        <div className="pane" style={tab === "gears" || tab === "yaml" ? undefined : { overflow: "auto" }}>
          {tab === "gears" && (
            <GearsTab doc={doc} edit={edit} undo={ed.undo} redo={ed.redo} readOnly={readOnly} jump={jump} />
          )}
          {tab === "parameters" && (
            <>
              <HeadFields doc={doc} edit={edit} readOnly={readOnly} />
              <ParametersTab doc={doc} edit={edit} readOnly={readOnly} problems={local} />
            </>
          )}
          {tab === "strategy" && <StrategyTab doc={doc} edit={edit} readOnly={readOnly} problems={local} />}
          {tab === "yaml" && (
            <Suspense fallback={<Skeleton />}>
              <YamlTab doc={doc} edit={edit} readOnly={readOnly} jump={jump} onBroken={setYamlBroken} />
            </Suspense>
          )}
          {tab === "diff" && (
            <DiffView
              name={detail.name}
              latest={detail.latest}
              hasDraft={detail.has_draft}
              dirty={dirty}
              version={base.version}
            />
          )}
          {tab === "history" && (
            <HistoryTab
              name={detail.name}
              etag={base.etag}
              latest={detail.latest}
              onDone={() => setRollout(Date.now())}
            />
          )}
          {tab === "usage" && <UsageTab name={detail.name} />}
        </div>
        <Checks local={local} server={server.data} error={server.error} doc={later} onGo={go} />
      </div>
      {dialog === "publish" && (
        <PublishDialog
          name={detail.name}
          etag={base.etag}
          latest={detail.latest}
          check={server.data}
          onClose={() => setDialog(undefined)}
          onDone={() => setRollout(Date.now())}
        />
      )}
      {dialog === "force" && failed !== undefined && (
        <Ask
          title={t("templates.forceSave")}
          ok={t("templates.saveAnyway")}
          danger
          noReason
          onClose={() => {
            setDialog(undefined);
            setFailed(undefined);
          }}
          onOk={async () => {
            await save(base.etag, true);
          }}
        >
          <ProblemBox error={failed} />
        </Ask>
      )}
      {dialog === "copy" && (
        <CopyTemplate
          from={detail.name}
          onClose={() => setDialog(undefined)}
          onDone={(name) => void navigate(`/templates/${encodeURIComponent(name)}`)}
        />
      )}
      {dialog === "delete" && (
        <Ask
          title={t("templates.deleteTitle", { name: detail.name })}
          ok={t("ui.delete")}
          danger
          noReason
          onClose={() => setDialog(undefined)}
          onOk={async () => {
            await api.remove(detail.name, base.etag);
            reset(doc);
            void navigate("/templates");
          }}
        />
      )}
      {dialog === "drop" && (
        <Ask
          title={t("templates.dropTitle", { version: detail.latest })}
          ok={t("templates.dropDraft")}
          danger
          noReason
          onClose={() => setDialog(undefined)}
          onOk={async () => {
            take(await api.dropDraft(detail.name, base.etag));
          }}
        />
      )}
      {blocker.state === "blocked" && (
        <Ask
          title={t("templates.leave")}
          ok={t("templates.leaveOk")}
          danger
          noReason
          onClose={() => blocker.state === "blocked" && blocker.reset()}
          onOk={() => {
            blocker.proceed();
            return Promise.resolve();
          }}
        >
          {t("templates.leaveHint")}
        </Ask>
      )}
      {rollout && (
        <RolloutDrawer
          since={rollout}
          title={t("templates.rollout")}
          about={[detail.name]}
          onClose={() => setRollout(undefined)}
        />
      )}
      {!contentOf(detail) && !doc && <Empty title={t("templates.none")} />}
    </>
  );
}

export type EditDoc = (change: (doc: Doc) => Doc) => void;
