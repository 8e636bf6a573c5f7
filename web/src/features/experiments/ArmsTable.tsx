import { useTranslation } from "react-i18next";
import { count, ms, share } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import type { Experiment, Result } from "./api";
import { settingsOf } from "./draft";
import { LiftCell } from "./marks";

/** One row an arm; the control first, the others beside it with their lifts. */
export function ArmsTable({ experiment: x, result: r }: { experiment: Experiment; result: Result }) {
  const { t } = useTranslation();
  const two = r.arms.some((a) => a.scope);
  const at = `${x.scope.app}/${x.scope.point}`;
  return (
    <Card title={t("experiments.comparison")} flush>
      <div className="table-box" tabIndex={0} role="region" aria-label={t("experiments.comparison")}>
        <table className="data" aria-label={t("experiments.comparison")}>
          <thead>
            <tr>
              <th>{t("experiments.col.arm")}</th>
              <th>{t("experiments.col.settings")}</th>
              <th className="num">{t("experiments.col.traffic")}</th>
              <th className="num">{t("experiments.col.requests")}</th>
              {two && <th className="num">{t("experiments.col.levelAt", { at })}</th>}
              {two && <th className="num">{t("experiments.col.p99At", { at })}</th>}
              {!two && <th className="num">{t("experiments.col.level")}</th>}
              <th className="num">{t("experiments.col.mean")}</th>
              <th className="num">{t("experiments.col.p99")}</th>
              <th className="num">{t("experiments.col.timeouts")}</th>
              <th className="num">{t("experiments.col.value")}</th>
              <th>{t("experiments.col.valueLift")}</th>
              <th>{t("experiments.col.rtLift")}</th>
              <th>{t("experiments.col.timeoutLift")}</th>
            </tr>
          </thead>
          <tbody>
            {r.arms.map((a, i) => {
              const lift = (metric: string) => a.lifts.find((l) => l.metric === metric);
              const cell = (metric: string) =>
                i === 0 ? (
                  <Tag>{t("experiments.control")}</Tag>
                ) : (
                  <LiftCell lift={lift(metric)} final={r.final} />
                );
              return (
                <tr key={a.arm}>
                  <th scope="row">{a.arm}</th>
                  <td className="soft">{settingsOf(x.arms[i]!) || t("experiments.asItIs")}</td>
                  <td className="num" title={t("experiments.bucket", { bucket: a.bucket })}>
                    {r.ratio ? share(r.ratio.observed[i]) : "–"}
                    <span className="soft"> / {share(r.ratio?.expected[i] ?? x.arms[i]!.share / 100)}</span>
                  </td>
                  <td className="num">{count(a.measure.requests)}</td>
                  {two && <td className="num">{a.scope?.requests ? a.scope.level.toFixed(1) : "–"}</td>}
                  {two && <td className="num">{a.scope?.requests ? ms(a.scope.p99_ms) : "–"}</td>}
                  {!two && <td className="num">{a.measure.requests ? a.measure.level.toFixed(1) : "–"}</td>}
                  <td className="num">{a.measure.requests ? ms(a.measure.mean_ms) : "–"}</td>
                  <td className="num">{a.measure.requests ? ms(a.measure.p99_ms) : "–"}</td>
                  <td className="num">{a.measure.requests ? share(a.measure.timeout_rate) : "–"}</td>
                  <td className="num">{a.measure.requests ? a.measure.value.toPrecision(4) : "–"}</td>
                  <td>{cell("value")}</td>
                  <td>{cell("rt")}</td>
                  <td>{cell("timeouts")}</td>
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
