import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Template } from "../../api/types";
import { Icon } from "../../ui/icons";
import { offsetName, span, wallOf, type Span } from "./calendar";
import { isTerminal, type PlanDoc, type SetDoc, type StepDoc } from "./document";
import { SetRow } from "./SetRow";
import { TimeField } from "./TimeField";

interface Props {
  doc: PlanDoc;
  index: number;
  when: Span;
  faults: Map<string, string>;
  templates: Template[];
  disabled: boolean;
  onChange: (next: StepDoc) => void;
  onMove: (by: number) => void;
  onRemove: () => void;
}

/** One step: when it starts, what it sets where, and when it ends. */
export function StepForm(props: Props) {
  const { t } = useTranslation();
  const { doc, index, when, faults, disabled, onChange } = props;
  const step = doc.steps[index]!;
  const at = `steps[${index}]`;
  const put = (change: Partial<StepDoc>) => onChange({ ...step, ...change });
  const fault = (field: string) => faults.get(`${at}.${field}`);
  const others = doc.steps.filter((_, i) => i !== index);
  const terminal = isTerminal(step);
  const anchor = !!doc.repeat && index === 0;
  const start = step.after !== undefined ? "after" : "at";
  const end = step.until_at !== undefined ? "until_at" : step.for !== undefined ? "for" : "until";
  const sets = step.set ?? [];
  const putSet = (k: number, next: SetDoc) => put({ set: sets.map((x, i) => (i === k ? next : x)) });
  const zone = doc.zone;
  const title = step.name || t("plans.stepNumber", { number: index + 1 });
  const shown = new Set([
    "name",
    "do",
    "at",
    "overlap",
    "after",
    "offset",
    "until",
    "until_at",
    "until_overlap",
    "for",
  ]);
  const rest = [...faults].filter(
    ([p]) => p.startsWith(`${at}.`) && !p.startsWith(`${at}.set[`) && !shown.has(p.slice(at.length + 1)),
  );
  return (
    <section className={`card plan-step ${terminal ? step.do : "set"}`} aria-label={title}>
      <header>
        <input
          className={`native${fault("name") ? " bad" : ""}`}
          style={{ width: 190, fontWeight: 600 }}
          aria-label={t("plans.stepName")}
          value={step.name}
          disabled={disabled}
          onChange={(e) => put({ name: e.target.value })}
        />
        <select
          className="native"
          aria-label={t("plans.stepDoes")}
          value={step.do ?? "set"}
          disabled={disabled}
          onChange={(e) => {
            const kind = e.target.value;
            onChange(
              kind === "set"
                ? {
                    ...step,
                    do: undefined,
                    for: step.for ?? "30m",
                    set: sets.length ? sets : [{ level: "" }],
                  }
                : {
                    ...step,
                    do: kind,
                    set: undefined,
                    until: undefined,
                    until_at: undefined,
                    until_overlap: undefined,
                    for: undefined,
                  },
            );
          }}
        >
          {["set", "auto", "restore"].map((k) => (
            <option key={k} value={k}>
              {t(`plans.do.${k}`)}
            </option>
          ))}
        </select>
        <span className="soft nowrap">
          {when.start !== undefined && (
            <>
              {wallOf(when.start, zone)} {offsetName(when.start, zone)}
              {when.end !== undefined && when.end > when.start && (
                <>
                  {" → "}
                  {wallOf(when.end, zone)} ({span(when.end - when.start)})
                </>
              )}
            </>
          )}
        </span>
        <div className="actions">
          {!disabled && (
            <>
              <Button
                size="small"
                aria-label={t("plans.up")}
                disabled={index === 0}
                onClick={() => props.onMove(-1)}
              >
                <Icon name="up" size={12} />
              </Button>
              <Button
                size="small"
                aria-label={t("plans.down")}
                disabled={index === doc.steps.length - 1}
                onClick={() => props.onMove(1)}
              >
                <Icon name="down" size={12} />
              </Button>
              <Button size="small" danger onClick={props.onRemove}>
                {t("plans.removeStep")}
              </Button>
            </>
          )}
        </div>
      </header>
      <div className="body stack">
        {fault("name") && <span className="plan-fault">{fault("name")}</span>}
        <div className="plan-times">
          <div className="plan-time" role="group" aria-label={t("plans.start")}>
            <div className="row">
              <strong>{t("plans.start")}</strong>
              {anchor ? (
                <span className="soft">{t("plans.startRepeats")}</span>
              ) : (
                <select
                  className="native"
                  aria-label={t("plans.startKind")}
                  value={start}
                  disabled={disabled}
                  onChange={(e) =>
                    put(
                      e.target.value === "at"
                        ? {
                            at: step.at ?? (when.start ? wallOf(when.start, zone) : ""),
                            after: undefined,
                            offset: undefined,
                          }
                        : {
                            at: undefined,
                            overlap: undefined,
                            after: others[0]?.name ?? "",
                            offset: step.offset ?? "10m",
                          },
                    )
                  }
                >
                  <option value="at" disabled={!!doc.repeat}>
                    {t("plans.startAt")}
                  </option>
                  <option value="after">{t("plans.startAfter")}</option>
                </select>
              )}
            </div>
            {!anchor && start === "at" && (
              <TimeField
                label={t("plans.start")}
                zone={zone}
                value={step.at}
                overlap={step.overlap}
                fault={fault("at") ?? fault("overlap")}
                disabled={disabled}
                onChange={(v, overlap) => put({ at: v, overlap })}
              />
            )}
            {!anchor && start === "after" && (
              <span className="row">
                <input
                  className={`native mono${fault("offset") ? " bad" : ""}`}
                  style={{ width: 80 }}
                  aria-label={t("plans.offset")}
                  placeholder="10m"
                  value={step.offset ?? ""}
                  disabled={disabled}
                  onChange={(e) => put({ offset: e.target.value })}
                />
                {t("plans.afterStep")}
                <StepSelect
                  label={t("plans.startAfter")}
                  value={step.after ?? ""}
                  steps={others}
                  bad={!!fault("after")}
                  disabled={disabled}
                  onChange={(after) => put({ after })}
                />
                {(fault("after") ?? fault("offset")) && (
                  <span className="plan-fault">{fault("after") ?? fault("offset")}</span>
                )}
              </span>
            )}
          </div>
          <div className="plan-time" role="group" aria-label={t("plans.end")}>
            <div className="row">
              <strong>{t("plans.end")}</strong>
              {terminal ? (
                <span className="soft">{t(`plans.terminal.${step.do}`)}</span>
              ) : (
                <select
                  className="native"
                  aria-label={t("plans.endKind")}
                  value={end}
                  disabled={disabled}
                  onChange={(e) => {
                    const none = {
                      until: undefined,
                      until_at: undefined,
                      until_overlap: undefined,
                      for: undefined,
                    };
                    const kind = e.target.value;
                    put(
                      kind === "until"
                        ? { ...none, until: others[0]?.name ?? "" }
                        : kind === "for"
                          ? {
                              ...none,
                              for:
                                when.end && when.start
                                  ? `${Math.round((when.end - when.start) / 1000)}s`
                                  : "30m",
                            }
                          : { ...none, until_at: when.end ? wallOf(when.end, zone) : (step.at ?? "") },
                    );
                  }}
                >
                  <option value="until">{t("plans.endUntil")}</option>
                  <option value="until_at" disabled={!!doc.repeat}>
                    {t("plans.endAt")}
                  </option>
                  <option value="for">{t("plans.endFor")}</option>
                </select>
              )}
            </div>
            {!terminal && end === "until" && (
              <span className="row">
                <StepSelect
                  label={t("plans.endUntil")}
                  value={step.until ?? ""}
                  steps={others}
                  bad={!!fault("until")}
                  disabled={disabled}
                  onChange={(until) => put({ until })}
                />
                {fault("until") && <span className="plan-fault">{fault("until")}</span>}
              </span>
            )}
            {!terminal && end === "until_at" && (
              <TimeField
                label={t("plans.end")}
                zone={zone}
                value={step.until_at}
                overlap={step.until_overlap}
                fault={fault("until_at") ?? fault("until_overlap") ?? fault("until")}
                disabled={disabled}
                onChange={(v, o) => put({ until_at: v ?? "", until_overlap: o })}
              />
            )}
            {!terminal && end === "for" && (
              <span className="row">
                <input
                  className={`native mono${fault("for") ? " bad" : ""}`}
                  style={{ width: 80 }}
                  aria-label={t("plans.endFor")}
                  placeholder="30m"
                  value={step.for ?? ""}
                  disabled={disabled}
                  onChange={(e) => put({ for: e.target.value })}
                />
                {(fault("for") ?? fault("until")) && (
                  <span className="plan-fault">{fault("for") ?? fault("until")}</span>
                )}
              </span>
            )}
          </div>
        </div>
        {rest.map(([p, message]) => (
          <span key={p} className="plan-fault">
            {message}
          </span>
        ))}
        {!terminal && (
          <div>
            {sets.map((set, k) => (
              <SetRow
                key={k}
                set={set}
                at={`${at}.set[${k}]`}
                faults={faults}
                templates={props.templates}
                disabled={disabled}
                onChange={(next) => putSet(k, next)}
                onCopy={() => put({ set: [...sets.slice(0, k + 1), { ...set }, ...sets.slice(k + 1)] })}
                onRemove={() => put({ set: sets.filter((_, i) => i !== k) })}
              />
            ))}
            {!disabled && (
              <Button size="small" onClick={() => put({ set: [...sets, { level: "" }] })}>
                <Icon name="plus" size={11} /> {t("plans.addSet")}
              </Button>
            )}
          </div>
        )}
      </div>
    </section>
  );
}

function StepSelect(props: {
  label: string;
  value: string;
  steps: StepDoc[];
  bad: boolean;
  disabled: boolean;
  onChange: (name: string) => void;
}) {
  const names = [...new Set([props.value, ...props.steps.map((s) => s.name)])].filter(Boolean);
  return (
    <select
      className={`native${props.bad ? " bad" : ""}`}
      aria-label={props.label}
      aria-invalid={props.bad}
      value={props.value}
      disabled={props.disabled}
      onChange={(e) => props.onChange(e.target.value)}
    >
      {!props.value && <option value="">–</option>}
      {names.map((n) => (
        <option key={n}>{n}</option>
      ))}
    </select>
  );
}
