import { useMemo } from "react";
import { useTranslation } from "react-i18next";
import { Link } from "react-router";
import { said } from "../../said/said";
import { Card, Tag } from "../../ui/marks";
import type { Seen } from "./api";
import { Conflicts } from "./Conflicts";
import { Gantt } from "./Gantt";
import { holds } from "./gantt";
import { StepBoard } from "./StepBoard";
import type { PlanEntry, PlanStep } from "./types";

interface Props {
  plan: Seen;
  now: number;
  occurrence: string;
  occurrences: string[];
  steps: PlanStep[];
  onOccurrence: (name: string) => void;
}

/** One occurrence of a plan before, during and after the peak. */
export function Board({ plan, now, occurrence, occurrences, steps, onOccurrence }: Props) {
  const { t } = useTranslation();
  const entries = useMemo<PlanEntry[]>(
    () =>
      steps.map((step) => ({
        plan: plan.name,
        state: plan.state,
        step,
        conflicts: plan.conflicts.filter((c) => c.step === step.name),
      })),
    [steps, plan.name, plan.state, plan.conflicts],
  );
  const { from, to } = useMemo(() => {
    const times = entries.flatMap((e) => {
      const { start, end } = holds(e);
      return [start, end ?? start];
    });
    const a = Math.min(...times);
    const b = Math.max(...times);
    const pad = Math.max(30_000, (b - a) * 0.12);
    return { from: a - pad, to: b + pad };
  }, [entries]);
  const { staging } = plan;
  const level = { ok: "good", warn: "warn", fail: "bad" } as const;
  return (
    <>
      <Card
        title={t("plans.steps")}
        flush
        actions={
          occurrences.length > 1 && (
            <select
              className="native"
              aria-label={t("plans.occurrence")}
              value={occurrence}
              onChange={(e) => onOccurrence(e.target.value)}
            >
              {occurrences.map((o) => (
                <option key={o} value={o}>
                  {o.replace("T", " ")}
                </option>
              ))}
            </select>
          )
        }
      >
        {entries.length > 0 && (
          <Gantt
            label={t("plans.gantt")}
            entries={entries}
            plans={[plan.name]}
            from={from}
            to={to}
            zone={plan.zone}
            now={now}
          />
        )}
        <StepBoard plan={plan} steps={steps} now={now} />
      </Card>
      <div className="columns">
        <div className="stack">
          <Card title={t("plans.restoreList")} flush>
            {plan.restore.length === 0 ? (
              <div className="body soft">{t("plans.restoreNone")}</div>
            ) : (
              <table className="data" aria-label={t("plans.restoreList")} data-testid="restore">
                <thead>
                  <tr>
                    <th>{t("points.app")}</th>
                    <th>{t("points.idc")}</th>
                    <th>{t("plans.stateLabel")}</th>
                    <th>{t("plans.left")}</th>
                    <th />
                  </tr>
                </thead>
                <tbody>
                  {plan.restore.map((r) => (
                    <tr key={`${r.app} ${r.idc}`}>
                      <td>{r.app}</td>
                      <td>{r.idc}</td>
                      <td>
                        <Tag tone={r.restored ? "good" : "warn"}>
                          {t(r.restored ? "plans.restored" : "plans.notRestored")}
                        </Tag>
                      </td>
                      <td>{said(r.left) || "–"}</td>
                      <td>
                        <Link
                          to={`/points?app=${encodeURIComponent(r.app)}&idc=${encodeURIComponent(r.idc)}`}
                        >
                          {t("plans.spotCheck")}
                        </Link>
                      </td>
                    </tr>
                  ))}
                </tbody>
              </table>
            )}
          </Card>
        </div>
        <div className="stack">
          <Card title={t("plans.readiness")} flush>
            <ul className="plan-checks" data-testid="readiness">
              {plan.readiness.map((r) => (
                <li key={r.name}>
                  <span>
                    <Tag tone={level[r.level]}>{t(`plans.ready.${r.level}`)}</Tag>
                  </span>
                  <strong>{t(`plans.check.${r.name}`, { defaultValue: r.name })}</strong>
                  <span>{said(r.detail)}</span>
                </li>
              ))}
            </ul>
          </Card>
          <Card
            title={t("plans.lacking")}
            flush
            actions={staging.lacking.length > 0 && <Tag tone="warn">{staging.expected - staging.held}</Tag>}
          >
            {staging.lacking.length === 0 ? (
              <div className="body soft">
                {t(staging.expected ? "plans.lackingNone" : "plans.nothingStaged", {
                  held: staging.held,
                  expected: staging.expected,
                })}
              </div>
            ) : (
              <ul className="why">
                {staging.lacking.slice(0, 50).map((l) => (
                  <li
                    key={l.instance}
                    style={{ gridTemplateColumns: "minmax(0,1fr) auto", color: "var(--text)" }}
                  >
                    <Link className="mono" to={`/agents/${encodeURIComponent(l.instance)}`}>
                      {l.instance}
                    </Link>
                    <Tag tone={l.why === "refused" ? "bad" : "warn"}>{t(`plans.why.${l.why}`)}</Tag>
                    {l.problems?.[0] && (
                      <small style={{ gridColumn: "1 / -1" }} className="danger">
                        {said(l.problems[0].message)}
                      </small>
                    )}
                  </li>
                ))}
              </ul>
            )}
          </Card>
          <Card title={t("plans.conflicts")} flush>
            <Conflicts rows={plan.conflicts} zone={plan.zone} />
          </Card>
          <Card title={t("plans.people")}>
            <dl className="facts">
              <dt>{t("plans.owner")}</dt>
              <dd>{plan.owner}</dd>
              <dt>{t("plans.executor")}</dt>
              <dd>{plan.executor}</dd>
              <dt>{t("plans.approver")}</dt>
              <dd>{plan.approver || t("plans.anyone")}</dd>
              <dt>{t("plans.author")}</dt>
              <dd>{plan.created_by}</dd>
              {plan.purpose && (
                <>
                  <dt>{t("plans.purpose")}</dt>
                  <dd>{plan.purpose}</dd>
                </>
              )}
              {plan.glass && (
                <>
                  <dt>{t("plans.glassFlag")}</dt>
                  <dd className="mono">{plan.glass}</dd>
                </>
              )}
            </dl>
          </Card>
        </div>
      </div>
    </>
  );
}
