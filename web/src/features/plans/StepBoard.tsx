import { Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { Ask, Field } from "../../ui/Ask";
import { share } from "../../ui/format";
import { Tag } from "../../ui/marks";
import * as api from "./api";
import { Countdown, standing, StandingTag, Wall } from "./marks";
import type { PlanAck, PlanStep } from "./types";

const lengths = ["5m", "10m", "15m", "30m", "1h", "2h"];

interface Asked {
  verb: api.StepVerb;
  step: PlanStep;
}

/** Each step with what became of it, who holds it, and what can be done about it now. */
export function StepBoard({ plan, steps, now }: { plan: api.Seen; steps: PlanStep[]; now: number }) {
  const { t } = useTranslation();
  const may = useCan("claim");
  const [asked, setAsked] = useState<Asked>();
  const [length, setLength] = useState("10m");
  const live = plan.state === "approved";
  return (
    <>
      <div className="table-box">
        <table className="data" aria-label={t("plans.steps")} data-testid="steps">
          <thead>
            <tr>
              <th>{t("plans.step")}</th>
              <th>{t("plans.stateLabel")}</th>
              <th>{t("plans.start")}</th>
              <th>{t("plans.end")}</th>
              <th>{t("plans.sets")}</th>
              <th>{t("plans.holds")}</th>
              <th />
            </tr>
          </thead>
          <tbody>
            {steps.map((s) => {
              const state = standing(s, now);
              const start = s.run?.start ?? s.start;
              const end = s.run?.end ?? s.end;
              const moved = s.run && Math.abs(Date.parse(s.run.start) - Date.parse(s.start)) > 1000;
              const ahead = !s.run && Date.parse(s.start) > now;
              return (
                <tr key={s.name} data-step={s.name}>
                  <td>
                    <strong>{s.name}</strong>
                    {s.do !== "set" && <span className="soft"> {t(`plans.do.${s.do}`)}</span>}
                  </td>
                  <td title={said(s.run?.reason)}>
                    <span className="row">
                      <StandingTag of={state} />
                      {s.run?.staged && <Tag tone="info">{t("plans.wasStaged")}</Tag>}
                    </span>
                  </td>
                  <td>
                    <Wall at={start} zone={plan.zone} /> {moved && <Tag tone="warn">{t("plans.moved")}</Tag>}
                    {(ahead || state === "armed") && live && (
                      <span className="soft">
                        {" "}
                        <Countdown to={start} now={now} />
                      </span>
                    )}
                  </td>
                  <td>
                    {end ? <Wall at={end} zone={plan.zone} date={false} /> : <span className="soft">–</span>}
                    {state === "inForce" && end && (
                      <span className="soft">
                        {" "}
                        <Countdown to={end} now={now} />
                      </span>
                    )}
                  </td>
                  <td className="plan-sets" title={s.sets.join("\n")}>
                    {s.sets.length ? (
                      s.sets.join("; ")
                    ) : (
                      <span className="soft">{t(`plans.terminal.${s.do}`)}</span>
                    )}
                  </td>
                  <td>
                    {state === "inForce" ? <Acks acks={s.acks ?? []} /> : <span className="soft">–</span>}
                  </td>
                  <td>
                    {may && (
                      <span className="row" style={{ gap: 4, justifyContent: "flex-end" }}>
                        {live && !s.run && (ahead || s.do !== "set") && (
                          <Button size="small" onClick={() => setAsked({ verb: "run", step: s })}>
                            {t("plans.runNow")}
                          </Button>
                        )}
                        {live && (ahead || state === "armed") && (
                          <Button size="small" onClick={() => setAsked({ verb: "skip", step: s })}>
                            {t("plans.skip")}
                          </Button>
                        )}
                        {state === "inForce" && (
                          <Button size="small" onClick={() => setAsked({ verb: "extend", step: s })}>
                            {t("plans.extend")}
                          </Button>
                        )}
                      </span>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {asked && (
        <Ask
          title={t(`plans.stepAsk.${asked.verb}`, { step: asked.step.name })}
          ok={t(`plans.stepOk.${asked.verb}`)}
          danger={asked.verb === "skip"}
          needReason
          onOk={(reason) =>
            api.actOnStep(plan.id, asked.step.name, asked.verb, {
              occurrence: asked.step.occurrence,
              reason,
              ...(asked.verb === "extend" ? { for: length } : {}),
            })
          }
          onClose={() => setAsked(undefined)}
        >
          <div>
            {t(`plans.stepHint.${asked.verb === "run" && asked.step.do !== "set" ? "runEnd" : asked.verb}`)}
          </div>
          {asked.verb === "extend" && (
            <Field label={t("plans.extendFor")}>
              <select className="native" value={length} onChange={(e) => setLength(e.target.value)}>
                {lengths.map((l) => (
                  <option key={l}>{l}</option>
                ))}
              </select>
            </Field>
          )}
        </Ask>
      )}
    </>
  );
}

function Acks({ acks }: { acks: PlanAck[] }) {
  return (
    <span className="plan-acks">
      {acks.map((a) => (
        <span key={`${a.app} ${a.idc}`} title={`${a.held} / ${a.expected}`}>
          {a.app}·{a.idc}
          <span className="progress" aria-hidden="true">
            <i style={{ width: `${a.expected ? (a.held / a.expected) * 100 : 0}%` }} />
          </span>
          <b>{share(a.expected ? a.held / a.expected : undefined, 0)}</b>
        </span>
      ))}
    </span>
  );
}
