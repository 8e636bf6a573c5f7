import { useTranslation } from "react-i18next";
import { Card, Tag } from "../../ui/marks";
import { integral, theta } from "./rules";
import type { QuotaState } from "./types";
import { digits } from "./units";

/** The last step, term by term, and the gains it was made with. */
export function TermsCard({ group: g }: { group: QuotaState }) {
  const { t } = useTranslation();
  const { settings: s, status: x } = g;
  const rows = [
    { key: "p", gain: digits(s.kp), unit: "", value: x.terms.p },
    { key: "i", gain: digits(integral(s)), unit: "1/s", value: x.terms.i, auto: s.ki === 0 },
    { key: "d", gain: digits(s.kd), unit: "s", value: x.terms.d },
  ];
  return (
    <Card title={t("quota.terms")}>
      <div className="stack">
        <table className="plain quota-terms">
          <thead>
            <tr>
              <th>{t("quota.term.title")}</th>
              <th className="num">{t("quota.term.gain")}</th>
              <th className="num">{t("quota.term.moved")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.key}>
                <td>{t(`quota.term.${r.key}`)}</td>
                <td className="num">
                  {r.gain} <span className="soft">{r.unit}</span>{" "}
                  {r.auto && <span className="soft">{t("quota.byDefault")}</span>}
                </td>
                <td className="num mono">{step(r.value)}</td>
              </tr>
            ))}
            <tr>
              <td>{t("quota.ff")}</td>
              <td className="num">{t(s.feed_forward ? "quota.on" : "quota.off")}</td>
              <td className="num mono">{step(x.terms.feed_forward)}</td>
            </tr>
          </tbody>
        </table>
        <dl className="facts">
          <dt>{t("quota.error")}</dt>
          <dd className="mono">{x.tick ? digits(x.error) : "–"}</dd>
          <dt>{t("quota.theta")}</dt>
          <dd>{digits(theta(s))} s</dd>
          {x.lambda ? (
            <>
              <dt>λ</dt>
              <dd className="mono">{digits(x.lambda)}</dd>
            </>
          ) : null}
          <dt>{t("quota.tick")}</dt>
          <dd className="mono">
            {x.tick} · {t("quota.epoch", { epoch: x.epoch })}
          </dd>
        </dl>
        {x.terms.frozen && (
          <div>
            <Tag tone="info" title={t("quota.frozenHint")}>
              {t("quota.frozen")}
            </Tag>
          </div>
        )}
        <div className="soft">{t(s.law === "linear" ? "quota.linearHint" : "quota.logHint")}</div>
      </div>
    </Card>
  );
}

const step = (v: number) => (v > 0 ? "+" : "") + v.toFixed(4);
