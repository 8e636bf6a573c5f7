import { Button } from "antd";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { dateTime, share } from "../../ui/format";
import { Card, Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { useCalibration } from "./api";
import FitPlot from "./FitPlot";
import type { QuotaCalibration, QuotaState } from "./types";
import { digits } from "./units";

/** What the machines can bear, read off consumption and CPU. */
export default function BudgetTab(props: {
  name: string;
  group: QuotaState;
  mayUse: boolean;
  onUse: (total: number) => void;
}) {
  const { t } = useTranslation();
  const query = useCalibration(props.name);
  return (
    <Loaded query={query}>
      {(c) =>
        c.readings?.length ? (
          <div className="columns">
            <Card title={t("quota.fit.title")}>
              <FitPlot group={props.group} calibration={c} />
            </Card>
            <Suggestion calibration={c} group={props.group} mayUse={props.mayUse} onUse={props.onUse} />
          </div>
        ) : (
          <Card title={t("quota.fit.title")}>
            <div className="state">
              <strong>{t("quota.fit.none")}</strong>
              {t("quota.fit.noneHint")}
            </div>
          </Card>
        )
      }
    </Loaded>
  );
}

function Suggestion(props: {
  calibration: QuotaCalibration;
  group: QuotaState;
  mayUse: boolean;
  onUse: (total: number) => void;
}) {
  const { t } = useTranslation();
  const { calibration: c, group: g } = props;
  const total = rounded(c.total_quota);
  const newest = c.readings[c.readings.length - 1];
  // Before there is a fit, its figures are all zero and mean nothing.
  const fitted = c.slope !== 0;
  return (
    <Card title={t("quota.fit.suggestion")}>
      <div className="stack">
        <div className="row wrap">
          {c.ok ? (
            <Tag tone="good">{t("quota.fit.usable")}</Tag>
          ) : (
            <Tag tone={c.stale || !fitted ? "warn" : "bad"}>
              {t(c.stale ? "quota.fit.stale" : "quota.fit.unusable")}
            </Tag>
          )}
        </div>
        {c.reason && <div className={`note ${c.ok || !fitted ? "warn" : "bad"}`}>{said(c.reason)}</div>}
        <dl className="facts">
          <dt>{t("quota.fit.total")}</dt>
          <dd>
            <strong>{c.total_quota > 0 ? digits(c.total_quota) : "–"}</strong>
            {c.total_quota > 0 && <> ± {digits(c.margin)}</>}{" "}
            <span className="soft">{t("quota.unit.perWindow", { window: g.settings.window })}</span>
          </dd>
          <dt>{t("quota.fit.inForce")}</dt>
          <dd>{digits(g.settings.total_quota)}</dd>
          <dt>{t("quota.field.watermark")}</dt>
          <dd>{share(c.watermark, 0)}</dd>
          <dt>{t("quota.fit.idle")}</dt>
          <dd>{fitted ? share(c.idle, 1) : "–"}</dd>
          <dt>{t("quota.fit.slope")}</dt>
          <dd>{fitted ? t("quota.fit.slopeValue", { v: digits(100_000 * c.slope) }) : "–"}</dd>
          <dt>R²</dt>
          <dd>{fitted ? c.r2.toFixed(3) : "–"}</dd>
          <dt>{t("quota.fit.sigma")}</dt>
          <dd>{fitted ? `± ${share(c.sigma, 1)}` : "–"}</dd>
          <dt>{t("quota.fit.used")}</dt>
          <dd>{t("quota.fit.usedOf", { n: c.used, of: c.readings.length })}</dd>
          <dt>{t("quota.fit.newest")}</dt>
          <dd>{dateTime(newest?.at)}</dd>
        </dl>
        {props.mayUse && (
          <div>
            <Button
              type="primary"
              disabled={!c.ok || total === g.settings.total_quota}
              onClick={() => props.onUse(total)}
            >
              {t("quota.fit.use", { total: c.ok ? digits(total) : "–" })}
            </Button>
          </div>
        )}
        <div className="soft">{t("quota.fit.hint")}</div>
      </div>
    </Card>
  );
}

/** Three digits: more would claim a precision that the fit has not. */
const rounded = (v: number) => Number(v.toPrecision(3));
