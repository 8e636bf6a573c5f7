import { useTranslation } from "react-i18next";
import { Card } from "../../ui/marks";
import { finalQuota } from "./rules";
import type { QuotaState } from "./types";
import { digits } from "./units";

/** What users of differing value may rank now. */
export function WeightsCard({ group: g }: { group: QuotaState }) {
  const { t } = useTranslation();
  const { settings: s, status: x } = g;
  const dcaf = s.law === "dcaf";
  const rows = dcaf
    ? (x.choices ?? []).map((c) => ({ value: `≥ ${digits(c.from)}`, quota: c.quota }))
    : [...new Set([s.weight_min, 1, s.weight_max])]
        .filter((v) => v >= s.weight_min && v <= s.weight_max)
        .sort((a, b) => a - b)
        .map((v) => ({ value: digits(v), quota: finalQuota(s, x.base, x.scale, v) }));
  return (
    <Card title={t("quota.weights")}>
      <div className="stack">
        <table className="plain quota-terms">
          <thead>
            <tr>
              <th>{t("quota.userValue")}</th>
              <th className="num">{t("quota.mayRank")}</th>
            </tr>
          </thead>
          <tbody>
            {rows.map((r) => (
              <tr key={r.value}>
                <td>{r.value}</td>
                <td className="num">{x.tick ? Math.floor(r.quota) : "–"}</td>
              </tr>
            ))}
          </tbody>
        </table>
        {!dcaf && (
          <div className="soft">
            {t(s.normalise ? "quota.weightsNormalised" : "quota.weightsPlain", {
              lo: digits(s.weight_min),
              hi: digits(s.weight_max),
              scale: digits(x.scale),
            })}
          </div>
        )}
        {dcaf && <div className="soft">{t("quota.weightsDcaf")}</div>}
      </div>
    </Card>
  );
}
