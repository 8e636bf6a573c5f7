import { App, Button } from "antd";
import { lazy, Suspense, useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { Link, useBlocker, useNavigate } from "react-router";
import { asProblem } from "../../api/problem";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { applyPlan } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { Icon } from "../../ui/icons";
import { PageHead, Tag } from "../../ui/marks";
import { Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { useSettled } from "../../ui/useSettled";
import * as api from "./api";
import { isZone, scheduleOf } from "./calendar";
import { clean, docOf, places, type PlanDoc, type StepDoc } from "./document";
import { EditorSide } from "./EditorSide";
import { HeadForm } from "./HeadForm";
import { StepForm } from "./StepForm";
import { StaleDialog } from "./StaleDialog";

const YamlPane = lazy(() => import("./YamlPane"));

interface Props {
  initial: PlanDoc;
  saved?: api.Seen;
}

const textOf = (doc: PlanDoc) => JSON.stringify(clean(doc));

/** Writes a plan: the form and the text are one document, and the server checks it while it is written. */
export function PlanEditor({ initial, saved }: Props) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const navigate = useNavigate();
  const may = useCan("claim");
  const known = api.useKnown();
  const protectedScenes = api.useProtectedScenes();
  const [doc, setDoc] = useState(initial);
  const [base, setBase] = useState({ doc: initial, etag: saved?.etag ?? "" });
  const [tab, setTab] = useState("form");
  const [broken, setBroken] = useState(false);
  const [asking, setAsking] = useState(false);
  const [theirs, setTheirs] = useState<api.Seen>();
  const [done, setDone] = useState<string>();

  const body = textOf(doc);
  const settled = useSettled(body, 350);
  const run = api.useDryRun(doc, settled);
  const refused = useMemo(() => {
    const out = new Map<string, string>();
    if (run.error)
      for (const p of asProblem(run.error).places) if (!out.has(p.path)) out.set(p.path, p.message);
    return out;
  }, [run.error]);
  const faults = new Map([...refused].map(([path, message]) => [path, said(message)]));
  const when = useMemo(() => scheduleOf(isZone(doc.zone) ? doc : { ...doc, zone: "UTC" }), [doc]);
  const dirty = !saved || body !== textOf(base.doc);
  const disabled = !may;
  const settling = body !== settled || run.isFetching;

  const putStep = (i: number, next: StepDoc) =>
    setDoc((d) => {
      const was = d.steps[i]!.name;
      const steps = d.steps.map((s, k) => (k === i ? next : s));
      // Who refers to a step follows its new name.
      return {
        ...d,
        steps:
          was && was !== next.name
            ? steps.map((s) => ({
                ...s,
                ...(s.after === was ? { after: next.name } : {}),
                ...(s.until === was ? { until: next.name } : {}),
              }))
            : steps,
      };
    });
  const move = (i: number, by: number) =>
    setDoc((d) => {
      const steps = [...d.steps];
      [steps[i], steps[i + by]] = [steps[i + by]!, steps[i]!];
      return { ...d, steps };
    });
  const addStep = () =>
    setDoc((d) => {
      const taken = new Set(d.steps.map((s) => s.name));
      let n = d.steps.length + 1;
      while (taken.has(`step-${n}`)) n++;
      const last = d.steps[d.steps.length - 1];
      const step: StepDoc = {
        name: `step-${n}`,
        for: "10m",
        set: [{ level: "" }],
        ...(last ? { after: last.name, offset: "10m" } : { at: "" }),
      };
      return { ...d, steps: [...d.steps, step] };
    });

  const save = async (reason: string) => {
    try {
      const out = saved ? await api.update(saved.id, doc, base.etag, reason) : await api.create(doc, reason);
      void message.success(t("plans.saved"));
      setDone(out.name);
    } catch (e) {
      if (saved && asProblem(e).code === "stale") setTheirs(await api.readPlan(saved.id));
      else throw e;
    }
  };
  const changed = body !== textOf(initial) && !done;
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => changed && currentLocation.pathname !== nextLocation.pathname,
  );
  // Below the blocker: its own effect must know "done" before this one leaves.
  useEffect(() => {
    if (done) void navigate(`/plans/${encodeURIComponent(done)}`);
  }, [done, navigate]);
  useEffect(() => {
    if (!changed) return;
    const onLeave = (e: BeforeUnloadEvent) => e.preventDefault();
    window.addEventListener("beforeunload", onLeave);
    return () => window.removeEventListener("beforeunload", onLeave);
  }, [changed]);

  return (
    <div className="page">
      <PageHead
        title={saved ? t("plans.editTitle", { name: saved.name }) : t("plans.newTitle")}
        actions={
          <>
            <CopyAs yaml={() => clean(doc)} cli={applyPlan(doc.name || "plan")} />
            {saved && (
              <Link to={`/plans/${encodeURIComponent(saved.name)}`}>
                <Button>{t("ui.cancel")}</Button>
              </Link>
            )}
            {may && (
              <Button
                type="primary"
                disabled={!dirty || broken || settling || run.error !== null}
                title={run.error ? t("plans.fixFirst") : undefined}
                onClick={() => setAsking(true)}
              >
                {t("plans.save")}
              </Button>
            )}
          </>
        }
      >
        {saved && <Tag>v{saved.version}</Tag>}
        {changed && <Tag tone="info">{t("plans.unsaved")}</Tag>}
        {disabled && <Tag>{t("plans.readOnly")}</Tag>}
      </PageHead>
      {saved?.state === "approved" && <div className="note warn">{t("plans.editWithdraws")}</div>}
      <Tabs
        label={t("plans.editor")}
        items={[
          { key: "form", label: t("plans.tabs.form") },
          { key: "yaml", label: "YAML" },
        ]}
        value={tab}
        onChange={setTab}
      />
      <div className="split">
        <div className="pane">
          {tab === "yaml" ? (
            <Suspense fallback={<Skeleton />}>
              <YamlPane doc={doc} disabled={disabled} onChange={setDoc} onBroken={setBroken} />
            </Suspense>
          ) : (
            <>
              <HeadForm
                doc={doc}
                faults={faults}
                disabled={disabled}
                onChange={(change) => setDoc((d) => ({ ...d, ...change }))}
              />
              {doc.steps.map((_, i) => (
                <StepForm
                  key={i}
                  doc={doc}
                  index={i}
                  when={when[i]!}
                  faults={faults}
                  templates={known.templates}
                  disabled={disabled}
                  onChange={(next) => putStep(i, next)}
                  onMove={(by) => move(i, by)}
                  onRemove={() => setDoc((d) => ({ ...d, steps: d.steps.filter((_, k) => k !== i) }))}
                />
              ))}
              {!disabled && (
                <div>
                  <Button onClick={addStep}>
                    <Icon name="plus" size={12} /> {t("plans.addStep")}
                  </Button>
                </div>
              )}
              {places
                .filter((p) => p !== "bucket")
                .map((p) => (
                  <datalist key={p} id={`plan-${p}`}>
                    {[...new Set(known.points.map((x) => x[p]))].sort().map((x) => (
                      <option key={x} value={x} />
                    ))}
                  </datalist>
                ))}
            </>
          )}
        </div>
        <EditorSide
          doc={doc}
          error={run.error}
          run={run.data}
          busy={settling}
          protectedScenes={protectedScenes.data ?? []}
        />
      </div>
      {asking && (
        <Ask
          title={t(saved ? "plans.saveTitle" : "plans.createTitle", { name: doc.name })}
          ok={t("plans.save")}
          onOk={save}
          onClose={() => setAsking(false)}
        >
          <div>{t("plans.saveHint")}</div>
        </Ask>
      )}
      {theirs && (
        <StaleDialog
          base={base.doc}
          mine={doc}
          theirs={theirs}
          onTheirs={() => {
            const next = docOf(theirs.document);
            setDoc(next);
            setBase({ doc: next, etag: theirs.etag });
            setTheirs(undefined);
          }}
          onMine={() => {
            setBase({ doc: docOf(theirs.document), etag: theirs.etag });
            setTheirs(undefined);
            setAsking(true);
          }}
          onClose={() => setTheirs(undefined)}
        />
      )}
      {blocker.state === "blocked" && (
        <Ask
          title={t("plans.leave")}
          ok={t("plans.leaveOk")}
          danger
          noReason
          onClose={() => blocker.state === "blocked" && blocker.reset()}
          onOk={() => {
            blocker.proceed();
            return Promise.resolve();
          }}
        />
      )}
    </div>
  );
}
