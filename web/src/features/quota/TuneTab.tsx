import { Button } from "antd";
import { useEffect, useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { count, share } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useSimulation } from "./api";
import { settingsOf } from "./draft";
import { DraftField } from "./DraftField";
import { shows, tuned } from "./fields";
import Plot from "./Plot";
import { arrivalsOf, summary, type Traffic } from "./rules";
import type { QuotaSettings, QuotaSimulated, QuotaSimulation, QuotaState } from "./types";
import { digits } from "./units";
import type { Draft } from "./useDraft";

const traffics: Traffic[] = ["recent", "step", "burst", "surge"];
const percent = (v: number) => share(v, 0);
const seconds = { format: (v: number) => `${digits(v)} s` };

/** New settings beside those in force on the same traffic, before anything is saved. */
export default function TuneTab(props: { name: string; group: QuotaState; draft: Draft; readOnly: boolean }) {
  const { t } = useTranslation();
  const { draft, group: g } = props;
  const [traffic, setTraffic] = useState<Traffic>("recent");
  const [rate, setRate] = useState(g.status.arrivals);
  // Taken again on request only: a simulation that moves by itself cannot be compared.
  const [round, setRound] = useState(0);
  const arrivals = useMemo(() => arrivalsOf(traffic, rate), [traffic, rate]);
  const settings = useSettled(draft.faults.size ? undefined : settingsOf(draft.base, draft.edits), 350);
  const query = useSimulation(props.name, settings, arrivals, round);
  const pending = query.isFetching || query.isPlaceholderData;

  return (
    <div className="columns quota-tune">
      <Card
        title={t("quota.response")}
        actions={
          <>
            {pending && <span className="soft">{t("quota.simulating")}</span>}
            <select
              className="native"
              aria-label={t("quota.traffic.title")}
              value={traffic}
              onChange={(e) => {
                setTraffic(e.target.value as Traffic);
                setRate(g.status.arrivals);
              }}
            >
              {traffics.map((x) => (
                <option key={x} value={x}>
                  {t(`quota.traffic.${x}`)}
                </option>
              ))}
            </select>
            <Button
              size="small"
              onClick={() => {
                setRate(g.status.arrivals);
                setRound(round + 1);
              }}
            >
              {t("quota.again")}
            </Button>
          </>
        }
      >
        {settings === undefined && !query.data ? (
          <div className="state">{t("quota.fixFirst")}</div>
        ) : (
          <Loaded query={query} rows={6}>
            {(s) =>
              s.tried?.length ? (
                <Response simulation={s} same={!draft.dirty} />
              ) : (
                <div className="state">{t("quota.noTraffic")}</div>
              )
            }
          </Loaded>
        )}
      </Card>
      <Card title={t("quota.tuned")}>
        <div className="quota-fields">
          {tuned
            .filter((f) => shows(f, draft.value("law")))
            .map((f) => (
              <DraftField key={f.key} draft={draft} field={f} readOnly={props.readOnly} />
            ))}
        </div>
      </Card>
    </div>
  );
}

function Response({ simulation: s, same }: { simulation: QuotaSimulation; same: boolean }) {
  const { t } = useTranslation();
  const [nowName, triedName] = [t("quota.inForce"), t("quota.tried")];
  const lines = useMemo(() => {
    const of = (points: QuotaSimulated[], value: (p: QuotaSimulated) => number) =>
      points.map((p): [number, number] => [p.at_ms / 1000, value(p)]);
    const both = (value: (p: QuotaSimulated) => number) =>
      same
        ? [{ name: nowName, points: of(s.now, value) }]
        : [
            { name: triedName, points: of(s.tried, value) },
            { name: nowName, points: of(s.now, value) },
          ];
    return {
      base: both((p) => p.base),
      sum: both((p) => p.sum),
      arrivals: [{ name: t("quota.arrivals"), points: of(s.now, (p) => p.arrivals) }],
    };
  }, [s, same, nowName, triedName, t]);
  const marks = useMemo(() => [{ value: 1, name: t("quota.budgetMark") }], [t]);
  const last = s.now[s.now.length - 1];
  const x = { ...seconds, end: last ? last.at_ms / 1000 : undefined };
  return (
    <div className="stack">
      <Plot group="quota-tune" title={t("quota.base")} lines={lines.base} format={digits} x={x} />
      <Plot
        group="quota-tune"
        title={t("quota.sumShare")}
        lines={lines.sum}
        marks={marks}
        format={percent}
        x={x}
      />
      <Plot group="quota-tune" title={t("quota.arrivalsRate")} lines={lines.arrivals} format={count} x={x} />
      <Summaries now={s.now} tried={s.tried} />
      <div className="soft">{t("quota.yieldNote", { yield: share(s.yield, 0) })}</div>
    </div>
  );
}

function Summaries({ now, tried }: { now: QuotaSimulated[]; tried: QuotaSimulated[] }) {
  const { t } = useTranslation();
  const rows = [
    { name: t("quota.inForce"), s: summary(now) },
    { name: t("quota.tried"), s: summary(tried) },
  ];
  return (
    <div className="table-box">
      <table className="data" aria-label={t("quota.response")}>
        <thead>
          <tr>
            <th>{t("quota.settings")}</th>
            <th className="num">{t("quota.sim.base")}</th>
            <th className="num">{t("quota.sim.range")}</th>
            <th className="num">{t("quota.sim.peak")}</th>
            <th className="num">{t("quota.sim.over")}</th>
            <th className="num">{t("quota.sim.swings")}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(
            ({ name, s }) =>
              s && (
                <tr key={name}>
                  <td>{name}</td>
                  <td className="num">{digits(s.base)}</td>
                  <td className="num">
                    {digits(s.low)} – {digits(s.high)}
                  </td>
                  <td className="num">{percent(s.peak)}</td>
                  <td className="num">{s.over.toFixed(1)} s</td>
                  <td className="num">{s.swings}</td>
                </tr>
              ),
          )}
        </tbody>
      </table>
    </div>
  );
}

/** The last settings that stood still for a while. */
function useSettled(value: QuotaSettings | undefined, ms: number): QuotaSettings | undefined {
  const text = JSON.stringify(value);
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), ms);
    return () => clearTimeout(timer);
  }, [text, ms]);
  return useMemo(() => (settled ? (JSON.parse(settled) as QuotaSettings) : undefined), [settled]);
}
