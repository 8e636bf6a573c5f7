import { Button } from "antd";
import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { said } from "../../said/said";
import { Ask, Field } from "../../ui/Ask";
import { count, ms, share } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Empty, Loaded, ProblemBox } from "../../ui/states";
import * as api from "./api";
import { Compared } from "./Compared";
import { Wall } from "./marks";
import Plot from "./Plot";
import type { Rehearsal, RehearsalDetail, RehearsalTotals } from "./types";

const whole = (v: number) => v.toFixed(0);
const one = (v: number) => v.toFixed(1);
const percent = (v: number) => share(v, 0);
const rate = (v: number) => share(v, 1);

/** The plan played on the engine model beside the same day without it, and set against what then happened. */
export default function RehearsalTab({ plan }: { plan: api.Seen }) {
  const { t } = useTranslation();
  const may = useCan("claim");
  const [params, setParams] = useSearchParams();
  const [asking, setAsking] = useState(false);
  const query = api.useRehearsals(plan.id);
  const rows = query.data ?? [];
  const chosen = rows.find((r) => r.id === params.get("rehearsal")) ?? rows[0];
  const detail = api.useRehearsal(plan.id, chosen);
  const choose = (id: string) =>
    setParams(
      (p) => {
        p.set("rehearsal", id);
        return p;
      },
      { replace: true },
    );
  const start = may && (
    <Button type="primary" onClick={() => setAsking(true)}>
      {t("plans.rehearse")}
    </Button>
  );
  return (
    <>
      <Loaded query={query} rows={3}>
        {() =>
          !chosen ? (
            <Empty title={t("plans.notRehearsed")} action={start}>
              {t("plans.notRehearsedHint")}
            </Empty>
          ) : (
            <>
              <div className="toolbar">
                <select
                  className="native"
                  aria-label={t("plans.tabs.rehearsal")}
                  value={chosen.id}
                  onChange={(e) => choose(e.target.value)}
                >
                  {rows.map((r) => (
                    <option key={r.id} value={r.id}>
                      {t("plans.rehearsalOf", {
                        day: t(`plans.days.${r.day}`),
                        peak: r.peak,
                        who: r.created_by,
                        at: new Date(r.created_at).toLocaleString("sv-SE"),
                      })}
                    </option>
                  ))}
                </select>
                {chosen.plan_changed && <Tag tone="warn">{t("plans.changedSince")}</Tag>}
                {chosen.state === "running" && <Tag tone="info">{t("plans.running")}</Tag>}
                {chosen.state === "done" && (
                  <span className="soft">
                    {t("plans.took", {
                      seconds: (chosen.took_ms / 1000).toFixed(1),
                      machines: chosen.machines,
                    })}
                  </span>
                )}
                <span style={{ marginLeft: "auto" }}>{start}</span>
              </div>
              {chosen.state === "running" && (
                <div className="note" role="status">
                  {t("plans.runningHint")}
                </div>
              )}
              {chosen.state === "failed" && (
                <div className="problem" role="alert">
                  {said(chosen.problem)}
                </div>
              )}
              {chosen.not_played.length > 0 && (
                <div className="note warn">
                  {t("plans.notPlayed")} {chosen.not_played.map((x) => said(x)).join("; ")}
                </div>
              )}
              {chosen.with && chosen.without && (
                <Totals of={chosen} with={chosen.with} without={chosen.without} zone={plan.zone} />
              )}
              {detail.error && <ProblemBox error={detail.error} />}
              {detail.data?.curve && <Charts of={detail.data} zone={plan.zone} />}
              {chosen.state === "done" && <Compared plan={plan} rehearsal={chosen} />}
            </>
          )
        }
      </Loaded>
      {asking && <RehearseDialog plan={plan} onClose={() => setAsking(false)} />}
    </>
  );
}

const figures: {
  key: keyof RehearsalTotals;
  format: (v: number) => string;
  /** Whether less is better. */
  less: boolean;
}[] = [
  { key: "value", format: (v) => share(v, 1), less: false },
  { key: "timeout_rate", format: (v) => share(v, 2), less: true },
  { key: "rt_mean_ms", format: ms, less: true },
  { key: "rt_p99_ms", format: ms, less: true },
  { key: "cpu", format: (v) => share(v, 0), less: true },
  { key: "cpu_max", format: (v) => share(v, 0), less: true },
  { key: "heavy_minutes", format: one, less: true },
];

function Totals(props: { of: Rehearsal; with: RehearsalTotals; without: RehearsalTotals; zone: string }) {
  const { t } = useTranslation();
  return (
    <Card
      title={t("plans.totals")}
      flush
      actions={
        <span className="soft">
          <Wall at={props.of.from} zone={props.zone} /> →{" "}
          <Wall at={props.of.to} zone={props.zone} date={false} /> · {t("plans.peakAt")}{" "}
          <Wall at={props.of.peak_at} zone={props.zone} date={false} /> ·{" "}
          {t("plans.requests", { count: props.with.requests, shown: count(props.with.requests) })}
        </span>
      }
    >
      <table className="data" aria-label={t("plans.totals")} data-testid="totals">
        <thead>
          <tr>
            <th>{t("plans.figure")}</th>
            <th className="num">{t("plans.withPlan")}</th>
            <th className="num">{t("plans.withoutPlan")}</th>
            <th>{t("plans.better")}</th>
          </tr>
        </thead>
        <tbody>
          {figures.map(({ key, format, less }) => {
            const a = props.with[key];
            const b = props.without[key];
            const same = format(a) === format(b);
            const good = less ? a < b : a > b;
            return (
              <tr key={key}>
                <td>{t(`plans.figures.${key}`)}</td>
                <td className="num">
                  <strong>{format(a)}</strong>
                </td>
                <td className="num">{format(b)}</td>
                <td>
                  <Tag tone={same ? "" : good ? "good" : "bad"}>
                    {t(same ? "plans.same" : good ? "plans.planBetter" : "plans.planWorse")}
                  </Tag>
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </Card>
  );
}

function Charts({ of, zone }: { of: RehearsalDetail; zone: string }) {
  const { t } = useTranslation();
  const at = useMemo(() => of.at.map((x) => Date.parse(x)), [of.at]);
  // Where one step ends as another starts there is one mark, named after the start.
  const marks = useMemo(() => {
    const names = new Map<number, string>();
    for (const m of of.marks) {
      const t = Date.parse(m.at);
      if (!m.ends || !names.has(t)) names.set(t, `${m.ends ? "▪" : "▸"} ${m.step}`);
    }
    return [...names].map(([at, name]) => ({ at, name }));
  }, [of.marks]);
  const { curve, control } = of;
  const plots = useMemo(() => {
    const pair = (a: number[], b: number[], step = false) => [
      { name: t("plans.withPlan"), values: a, step },
      { name: t("plans.withoutPlan"), values: b, step },
    ];
    if (!curve || !control) return [];
    return [
      { key: "rt_mean_ms", lines: pair(curve.rt_ms, control.rt_ms), format: ms },
      { key: "rt_p99_ms", lines: pair(curve.rt_p99_ms, control.rt_p99_ms), format: ms },
      { key: "cpu", lines: pair(curve.cpu, control.cpu), format: percent, max: 1 },
      { key: "qps", lines: pair(curve.qps, control.qps), format: count },
      { key: "value", lines: pair(curve.value, control.value), format: percent },
      { key: "timeout_rate", lines: pair(curve.timeout_rate, control.timeout_rate), format: rate },
      { key: "work", lines: pair(curve.work, control.work), format: percent },
    ];
  }, [curve, control, t]);
  const levels = useMemo(
    () =>
      of.points.map((p) => ({
        key: `${p.app}/${p.point}`,
        lines: [
          { name: t("plans.withPlan"), values: p.level, step: true },
          { name: t("plans.withoutPlan"), values: p.control_level, step: true },
        ],
      })),
    [of.points, t],
  );
  const load = useMemo(() => [{ name: t("plans.load"), values: of.load }], [of.load, t]);
  return (
    <div className="plan-charts" data-testid="rehearsal-charts">
      <Plot title={t("plans.loadTitle")} zone={zone} at={at} lines={load} marks={marks} format={one} />
      {plots.map(({ key, ...p }) => (
        <Plot key={key} title={t(`plans.figures.${key}`)} zone={zone} at={at} marks={marks} {...p} />
      ))}
      {levels.map(({ key, lines }) => (
        <Plot
          key={key}
          title={t("plans.levelOf", { point: key })}
          zone={zone}
          at={at}
          marks={marks}
          lines={lines}
          format={whole}
        />
      ))}
    </div>
  );
}

function RehearseDialog({ plan, onClose }: { plan: api.Seen; onClose: () => void }) {
  const { t } = useTranslation();
  const [day, setDay] = useState<"conversation" | "code" | "generated">("conversation");
  const [peak, setPeak] = useState("5");
  const [seed, setSeed] = useState("1");
  return (
    <Ask
      title={t("plans.rehearseTitle", { name: plan.name })}
      ok={t("plans.rehearse")}
      onOk={(reason) =>
        api.rehearse(plan.id, { day, peak: Number(peak), seed: Math.trunc(Number(seed)), reason })
      }
      onClose={onClose}
    >
      <div>{t("plans.rehearseHint")}</div>
      <Field label={t("plans.day")}>
        <select className="native" value={day} onChange={(e) => setDay(e.target.value as typeof day)}>
          {(["conversation", "code", "generated"] as const).map((d) => (
            <option key={d} value={d}>
              {t(`plans.days.${d}`)}
            </option>
          ))}
        </select>
      </Field>
      <div className="row">
        <Field label={t("plans.peak")} hint={t("plans.peakHint")}>
          <input
            className="native"
            type="number"
            min={1}
            max={10}
            step={0.5}
            value={peak}
            onChange={(e) => setPeak(e.target.value)}
          />
        </Field>
        <Field label={t("plans.seed")} hint={t("plans.seedHint")}>
          <input
            className="native"
            type="number"
            min={1}
            max={1000000}
            value={seed}
            onChange={(e) => setSeed(e.target.value)}
          />
        </Field>
      </div>
    </Ask>
  );
}
