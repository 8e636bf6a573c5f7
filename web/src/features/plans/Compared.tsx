import { useMemo, useState } from "react";
import { useTranslation } from "react-i18next";
import { count, ms, share } from "../../ui/format";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useComparison, type Seen } from "./api";
import Plot from "./Plot";
import type { Rehearsal, RehearsalComparison } from "./types";

type Line = RehearsalComparison["lines"][number];

const formats: Record<Line["metric"], (v: number) => string> = {
  qps: count,
  rt_ms: ms,
  timeout_rate: (v) => share(v, 1),
  value: (v) => v.toFixed(2),
  cpu: (v) => share(v, 0),
  level: (v) => v.toFixed(1),
};
const keyOf = (l: Line) => `${l.app}/${l.point} ${l.metric}`;

/** What the rehearsal foretold against what was measured when the plan ran. */
export function Compared({ plan, rehearsal }: { plan: Seen; rehearsal: Rehearsal }) {
  const { t } = useTranslation();
  const query = useComparison(plan.id, rehearsal);
  return (
    <Card title={t("plans.compared")} flush>
      <Loaded query={query} rows={2}>
        {(x) =>
          x.ran ? (
            <Shown of={x} zone={plan.zone} />
          ) : (
            <div className="body soft" data-testid="not-ran">
              {t("plans.notRan")}
            </div>
          )
        }
      </Loaded>
    </Card>
  );
}

function Shown({ of, zone }: { of: RehearsalComparison; zone: string }) {
  const { t } = useTranslation();
  const [open, setOpen] = useState("");
  const line = of.lines.find((l) => keyOf(l) === open) ?? of.lines[0];
  const at = useMemo(() => of.at.map((x) => Date.parse(x)), [of.at]);
  const lines = useMemo(
    () =>
      line && [
        { name: t("plans.actual"), values: line.actual },
        { name: t("plans.predicted"), values: line.predicted },
      ],
    [line, t],
  );
  const show = (l: Line, v: number | undefined) => (v === undefined ? "–" : formats[l.metric](v));
  return (
    <>
      <div className="body soft">{t("plans.coverage", { share: share(of.coverage, 0) })}</div>
      <table className="data" aria-label={t("plans.compared")}>
        <thead>
          <tr>
            <th>{t("points.point")}</th>
            <th>{t("plans.figure")}</th>
            <th className="num">{t("plans.predicted")}</th>
            <th className="num">{t("plans.actual")}</th>
            <th className="num">{t("plans.error")}</th>
          </tr>
        </thead>
        <tbody>
          {of.lines.map((l) => (
            <tr
              key={keyOf(l)}
              className="link"
              tabIndex={0}
              onClick={() => setOpen(keyOf(l))}
              onKeyDown={(e) => e.key === "Enter" && setOpen(keyOf(l))}
            >
              <td>
                {l.app} / {l.point}
              </td>
              <td>{t(`plans.metric.${l.metric}`)}</td>
              <td className="num">{show(l, l.mean_predicted)}</td>
              <td className="num">{show(l, l.mean_actual)}</td>
              <td className="num">{l.error === undefined ? "–" : share(l.error, 0)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {line && lines && at.length > 1 && (
        <Plot
          title={`${line.app} / ${line.point} · ${t(`plans.metric.${line.metric}`)}`}
          zone={zone}
          at={at}
          lines={lines}
          format={formats[line.metric]}
        />
      )}
    </>
  );
}
