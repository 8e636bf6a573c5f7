import { useTranslation } from "react-i18next";
import { asProblem } from "../../api/problem";
import { said } from "../../said/said";
import { Card, Tag } from "../../ui/marks";
import { ProblemBox } from "../../ui/states";
import { Conflicts } from "./Conflicts";
import { isTerminal, type PlanDoc } from "./document";
import { Wall } from "./marks";
import type { PlanDryRun } from "./types";

interface Props {
  doc: PlanDoc;
  error: unknown;
  run: PlanDryRun | undefined;
  busy: boolean;
  protectedScenes: string[];
}

/** What the server says about the plan while it is written. */
export function EditorSide({ doc, error, run, busy, protectedScenes }: Props) {
  const { t } = useTranslation();
  const problem = error ? asProblem(error) : undefined;
  const places422 = problem?.places ?? [];
  const touched = protectedScenes.filter((scene) =>
    doc.steps.some((s) => (s.set ?? []).some((x) => !x.scene || x.scene === "*" || x.scene === scene)),
  );
  const endless = doc.steps.filter((s) => !isTerminal(s) && !s.until && !s.until_at && !s.for);
  const byInstant = new Map<string, { steps: Set<string>; agents: number; changes: number }>();
  for (const v of run?.previews ?? []) {
    const x = byInstant.get(v.at) ?? { steps: new Set<string>(), agents: 0, changes: 0 };
    v.steps.forEach((s) => x.steps.add(s));
    x.agents += v.agents.length;
    x.changes += v.changes.length;
    byInstant.set(v.at, x);
  }
  return (
    <aside className="side" aria-label={t("plans.checks")}>
      <Card
        title={t("plans.checks")}
        flush
        actions={
          problem ? (
            <Tag tone="bad">{places422.length || 1}</Tag>
          ) : (
            <Tag tone="good">{t(busy ? "plans.checking" : "plans.noProblems")}</Tag>
          )
        }
      >
        {problem && places422.length === 0 && <ProblemBox error={error} />}
        {places422.length > 0 && (
          <ul className="problems" data-testid="plan-problems">
            {places422.map((p, i) => (
              <li key={i} style={{ padding: "6px 12px" }}>
                <code>{p.path}</code>
                <div>{said(p.message)}</div>
              </li>
            ))}
          </ul>
        )}
        {endless.length > 0 && <div className="body danger">{t("plans.endMandatory")}</div>}
        {touched.length > 0 && (
          <div className="body">
            <Tag tone="warn">{t("plans.protected")}</Tag>{" "}
            {t("plans.protectedHint", { scenes: touched.join(", ") })}
          </div>
        )}
        {!problem && touched.length === 0 && endless.length === 0 && (
          <div className="body soft">{t("plans.checksHint")}</div>
        )}
      </Card>
      <Card
        title={t("plans.conflicts")}
        flush
        actions={run && run.conflicts.length > 0 && <Tag tone="warn">{run.conflicts.length}</Tag>}
      >
        <Conflicts rows={problem ? [] : (run?.conflicts ?? [])} zone={doc.zone} />
      </Card>
      <Card title={t("plans.willDo")} flush>
        {problem || !run || byInstant.size === 0 ? (
          <div className="body soft">{t(problem ? "plans.willDoWhenValid" : "plans.willDoNothing")}</div>
        ) : (
          <ul className="why">
            {[...byInstant].map(([at, x]) => (
              <li key={at} style={{ gridTemplateColumns: "minmax(0,1fr)" }}>
                <Wall at={at} zone={doc.zone} />
                <span>
                  {[...x.steps]
                    .map((s) => s.replace(/ (starts|ends)$/, (w) => ` ${t(`plans.${w.trim()}`)}`))
                    .join(", ")}
                </span>
                <small style={{ gridColumn: 1 }}>
                  {t("plans.reach", { agents: x.agents, changes: x.changes })}
                </small>
              </li>
            ))}
          </ul>
        )}
      </Card>
    </aside>
  );
}
