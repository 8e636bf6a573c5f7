import { useState } from "react";
import { useTranslation } from "react-i18next";
import type { ClaimInput, Order, PointKey } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { setClaim } from "./api";

export const durations = ["5m", "15m", "30m", "1h", "4h", "24h"];

/** A manual override: one field, with a reason and an end. It always ends. */
export function OverrideDialog(props: {
  id: PointKey;
  order: Order | undefined;
  onClose: () => void;
  onDone: () => void;
}) {
  const { t } = useTranslation();
  const { id, order } = props;
  const fields = ["level", "available_rt", "timeout", "strategy"] as const;
  const [field, setField] = useState<(typeof fields)[number]>("level");
  const [level, setLevel] = useState(order?.level ?? 1);
  const [duration, setDuration] = useState("8ms");
  const [strategy, setStrategy] = useState("fixed");
  const [hold, setHold] = useState("30m");
  const [everywhere, setEverywhere] = useState(false);
  const body = (reason: string): ClaimInput => ({
    field,
    scope: { ...id, idc: everywhere ? "*" : id.idc },
    ...(field === "level"
      ? { level }
      : field === "strategy"
        ? { strategy: strategy as ClaimInput["strategy"] }
        : { duration }),
    reason,
    for: hold,
  });
  return (
    <Ask
      title={t("points.overrideTitle", { point: `${id.app}/${id.point}` })}
      ok={t("points.overrideOk")}
      needReason
      onClose={props.onClose}
      onOk={async (reason) => {
        await setClaim(body(reason));
        props.onDone();
      }}
    >
      <div className="row" style={{ gap: 12, alignItems: "flex-start" }}>
        <Field label={t("points.what")}>
          <select className="native" value={field} onChange={(e) => setField(e.target.value as typeof field)}>
            {fields.map((f) => (
              <option key={f} value={f}>
                {t(`points.field.${f}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field
          label={t("points.to")}
          hint={
            field === "level" && order
              ? `${order.min_level}–${order.max_level}`
              : field === "strategy"
                ? undefined
                : t("points.durationHint")
          }
        >
          {field === "level" ? (
            <input
              className="native"
              type="number"
              autoFocus
              min={1}
              max={100}
              style={{ width: 90 }}
              value={level}
              onChange={(e) => setLevel(Math.trunc(Number(e.target.value)))}
            />
          ) : field === "strategy" ? (
            <select className="native" value={strategy} onChange={(e) => setStrategy(e.target.value)}>
              {["fixed", "central", "crowd_rt", "external_timeout"].map((s) => (
                <option key={s}>{s}</option>
              ))}
            </select>
          ) : (
            <input
              className="native"
              style={{ width: 90 }}
              value={duration}
              onChange={(e) => setDuration(e.target.value)}
            />
          )}
        </Field>
        <Field label={t("points.for")} hint={t("points.forHint")}>
          <select className="native" value={hold} onChange={(e) => setHold(e.target.value)}>
            {durations.map((d) => (
              <option key={d}>{d}</option>
            ))}
          </select>
        </Field>
      </div>
      <label className="check">
        <input type="checkbox" checked={everywhere} onChange={(e) => setEverywhere(e.target.checked)} />
        {t("points.everywhere")}
      </label>
    </Ask>
  );
}
