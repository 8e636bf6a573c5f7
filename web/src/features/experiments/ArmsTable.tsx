import { useTranslation } from "react-i18next";
import { count } from "../../ui/format";
import { Card } from "../../ui/marks";
import type { Experiment, Result } from "./api";
import { settingsOf } from "./draft";
import { inMS, inPercent, LiftCell } from "./marks";

/** One row an arm; the control first, the others beside it with their lifts. */
export function ArmsTable({ experiment: x, result: r }: { experiment: Experiment; result: Result }) {
  const { t } = useTranslation();
  const two = r.arms.some((a) => a.scope);
  const at = `${x.scope.app}/${x.scope.point}`;
  return (
    <Card title={t("experiments.comparison")} flush>
      <div className="table-box" tabIndex={0} role="region" aria-label={t("experiments.comparison")}>
        <table className="data experiment-table" aria-label={t("experiments.comparison")}>
          <thead>
            <tr>
              <th>{t("experiments.col.arm")}</th>
              <th className="num">{t("experiments.col.traffic")}</th>
              <th className="num">{t("experiments.col.requests")}</th>
              <th className="num">
                {two ? t("experiments.col.levelAt", { at }) : t("experiments.col.level")}
              </th>
              {two && <th className="num">{t("experiments.col.p99At", { at })}</th>}
              <th className="num">{t("experiments.col.p99")}</th>
              <th>{t("experiments.col.value")}</th>
              <th>{t("experiments.col.mean")}</th>
              <th>{t("experiments.col.timeouts")}</th>
            </tr>
          </thead>
          <tbody>
            {r.arms.map((a, i) => {
              const at = two ? a.scope : a.measure;
              const cell = (metric: string, figure: string) => (
                <td>
                  <div>{a.measure.requests ? figure : "–"}</div>
                  {i === 0 ? (
                    <span className="soft">{t("experiments.control")}</span>
                  ) : (
                    <LiftCell lift={a.lifts.find((l) => l.metric === metric)} final={r.final} />
                  )}
                </td>
              );
              return (
                <tr key={a.arm}>
                  <th scope="row">
                    {a.arm}
                    <div className="soft">{settingsOf(x.arms[i]!) || t("experiments.asItIs")}</div>
                  </th>
                  <td className="num" title={t("experiments.bucket", { bucket: a.bucket })}>
                    {r.ratio ? inPercent(r.ratio.observed[i]!) : "–"}
                    <span className="soft">
                      {" "}
                      / {(r.ratio ? r.ratio.expected[i]! * 100 : x.arms[i]!.share).toFixed(2)}
                    </span>
                  </td>
                  <td className="num">{count(a.measure.requests)}</td>
                  <td className="num">{at?.requests ? at.level.toFixed(1) : "–"}</td>
                  {two && <td className="num">{at?.requests ? inMS(at.p99_ms) : "–"}</td>}
                  <td className="num">{a.measure.requests ? inMS(a.measure.p99_ms) : "–"}</td>
                  {cell("value", a.measure.value.toPrecision(4))}
                  {cell("rt", inMS(a.measure.mean_ms))}
                  {cell("timeouts", inPercent(a.measure.timeout_rate))}
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <p className="soft experiment-foot">
        {r.ratio
          ? t("experiments.ratio", {
              p: r.ratio.p < 0.001 ? r.ratio.p.toExponential(1) : r.ratio.p.toFixed(3),
              design: r.ratio.design.toFixed(1),
            })
          : t("experiments.ratioNone")}{" "}
        {t("experiments.method")}
      </p>
    </Card>
  );
}
