import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useParams, useSearchParams } from "react-router";
import { PageHead, Tag, Tile } from "../../ui/marks";
import { Loaded, Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { usePlan, type Seen } from "./api";
import { Board } from "./Board";
import { docOf, toYAML } from "./document";
import { Countdown, StateTag, standing, Wall } from "./marks";
import { nearest } from "./occurrence";
import { PlanActions } from "./PlanActions";
import { useReference } from "./useReference";
import "./plans.css";

const PreviewTab = lazy(() => import("./PreviewTab"));
const LogTab = lazy(() => import("./LogTab"));
const RehearsalTab = lazy(() => import("./RehearsalTab"));

export function PlanPage() {
  const { plan = "" } = useParams();
  const query = usePlan(plan);
  return (
    <div className="page">
      <Loaded query={query}>{(p) => <Shown plan={p} />}</Loaded>
    </div>
  );
}

function Shown({ plan }: { plan: Seen }) {
  const { t } = useTranslation();
  const [params, setParams] = useSearchParams();
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );
  const tab = params.get("tab") ?? "board";
  const now = useReference(plan.ahead);
  const names = [...new Set(plan.steps.map((s) => s.occurrence))];
  const asked = params.get("occurrence") ?? "";
  const occurrence = names.includes(asked) ? asked : nearest(plan.steps, now);
  const steps = plan.steps.filter((s) => s.occurrence === occurrence);
  const holding = steps.filter((s) => standing(s, now) === "inForce");
  const acks = holding.flatMap((s) => s.acks ?? []);
  const places = new Map(acks.map((a) => [`${a.app} ${a.idc}`, a]));
  const held = [...places.values()].reduce((n, a) => n + a.held, 0);
  const expected = [...places.values()].reduce((n, a) => n + a.expected, 0);
  const next = plan.state === "stopped" || plan.state === "done" ? undefined : plan.next;
  const worst = plan.readiness.some((r) => r.level === "fail")
    ? "fail"
    : plan.readiness.some((r) => r.level === "warn")
      ? "warn"
      : "ok";
  const ends = holding.flatMap((s) => ((s.run?.end ?? s.end) ? [(s.run?.end ?? s.end)!] : [])).sort()[0];
  return (
    <>
      <PageHead title={plan.name} actions={<PlanActions plan={plan} />}>
        <StateTag state={plan.state} />
        <Tag>{plan.zone}</Tag>
        {plan.repeat && <Tag tone="info">{plan.repeat}</Tag>}
        {plan.glass && <Tag tone="bad">{t("plans.glassFlag")}</Tag>}
      </PageHead>
      {(plan.state === "held" || plan.state === "stopped") && plan.staging.lacking.length > 0 && (
        <div className="problem" role="alert">
          <strong>{t("plans.unconfirmed", { count: plan.staging.lacking.length })}</strong>{" "}
          <span className="mono">
            {plan.staging.lacking
              .slice(0, 20)
              .map((l) => l.instance)
              .join(", ")}
          </span>
        </div>
      )}
      <div className="tiles">
        <Tile
          label={t(ends ? "plans.endsIn" : "plans.next")}
          value={
            <span data-testid="countdown">
              {ends ? (
                <Countdown to={ends} now={now} />
              ) : next ? (
                <Countdown to={next.start} now={now} />
              ) : (
                "–"
              )}
            </span>
          }
          note={
            ends ? (
              <>
                {holding.map((s) => s.name).join(", ")} → <Wall at={ends} zone={plan.zone} />
              </>
            ) : next ? (
              <>
                {next.name} · <Wall at={next.start} zone={plan.zone} />
              </>
            ) : (
              t("plans.noNext")
            )
          }
        />
        <Tile
          label={t("plans.reference")}
          value={<Wall at={now} zone={plan.zone} date={false} />}
          note={plan.zone}
        />
        <Tile
          label={t("plans.readiness")}
          value={t(`plans.ready.${worst}`)}
          tone={worst === "fail" ? "danger" : worst === "warn" ? "warning" : "success"}
          note={t("plans.readinessNote", {
            ok: plan.readiness.filter((r) => r.level === "ok").length,
            of: plan.readiness.length,
          })}
        />
        <Tile
          label={t("plans.staged")}
          value={
            <span data-testid="staged">
              {plan.staging.expected
                ? `${plan.staging.held.toLocaleString("en")} / ${plan.staging.expected.toLocaleString("en")}`
                : "–"}
            </span>
          }
          tone={
            plan.state === "approved" && plan.staging.held < plan.staging.expected ? "warning" : undefined
          }
          note={t("plans.stagedNote")}
        />
        <Tile
          label={t("plans.acks")}
          value={
            <span data-testid="acks">{expected ? `${((held / expected) * 100).toFixed(1)} %` : "–"}</span>
          }
          tone={expected && held < expected ? "warning" : undefined}
          note={expected ? t("plans.acksNote", { held, expected }) : t("plans.acksNone")}
        />
        <Tile
          label={t("plans.approval")}
          value={<span style={{ fontSize: 15 }}>{plan.approved_by || t("plans.nobody")}</span>}
          note={
            plan.approved_at ? (
              <Wall at={plan.approved_at} zone={plan.zone} />
            ) : (
              t("plans.approvalNote", { who: plan.approver || t("plans.anyone") })
            )
          }
        />
      </div>
      <Tabs
        label={t("plans.sections")}
        items={[
          { key: "board", label: t("plans.tabs.board") },
          { key: "preview", label: t("plans.tabs.preview") },
          { key: "rehearsal", label: t("plans.tabs.rehearsal") },
          { key: "log", label: t("plans.tabs.log") },
          { key: "yaml", label: "YAML" },
        ]}
        value={tab}
        onChange={(k) => set("tab", k === "board" ? "" : k)}
      />
      <Suspense fallback={<Skeleton />}>
        {tab === "board" && (
          <Board
            plan={plan}
            now={now}
            occurrence={occurrence}
            occurrences={names}
            steps={steps}
            onOccurrence={(o) => set("occurrence", o)}
          />
        )}
        {tab === "preview" && <PreviewTab plan={plan} />}
        {tab === "rehearsal" && <RehearsalTab plan={plan} />}
        {tab === "log" && <LogTab plan={plan} />}
        {tab === "yaml" && (
          <section className="card">
            <pre className="plan-code" tabIndex={0}>
              {toYAML(docOf(plan.document))}
            </pre>
          </section>
        )}
      </Suspense>
    </>
  );
}
