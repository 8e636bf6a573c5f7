import { useTranslation } from "react-i18next";
import { Field } from "../../ui/Ask";
import type { PlanDoc } from "./document";

const zones: string[] = ["Asia/Shanghai", "UTC", ...Intl.supportedValuesOf("timeZone")];

interface Props {
  doc: PlanDoc;
  faults: Map<string, string>;
  disabled: boolean;
  onChange: (change: Partial<PlanDoc>) => void;
}

/** Who, what for, in which zone, once or again and again. */
export function HeadForm({ doc, faults, disabled, onChange }: Props) {
  const { t } = useTranslation();
  const input = (key: "name" | "owner" | "executor" | "approver" | "repeat", list?: string) => (
    <input
      className={`native${faults.has(key) ? " bad" : ""}`}
      aria-invalid={faults.has(key)}
      list={list}
      disabled={disabled}
      value={doc[key] ?? ""}
      onChange={(e) => onChange({ [key]: e.target.value })}
    />
  );
  const repeats = doc.repeat !== undefined;
  return (
    <section className="card">
      <div className="body plan-form">
        <Field label={t("plans.name")} error={faults.get("name")}>
          {input("name")}
        </Field>
        <Field label={t("plans.zone")} error={faults.get("zone")}>
          <input
            className={`native${faults.has("zone") ? " bad" : ""}`}
            aria-invalid={faults.has("zone")}
            list="plan-zones"
            disabled={disabled}
            value={doc.zone}
            onChange={(e) => onChange({ zone: e.target.value })}
          />
        </Field>
        <datalist id="plan-zones">
          {[...new Set(zones)].map((z) => (
            <option key={z} value={z} />
          ))}
        </datalist>
        <Field label={t("plans.owner")} hint={t("plans.ownerHint")} error={faults.get("owner")}>
          {input("owner")}
        </Field>
        <Field label={t("plans.executor")} hint={t("plans.executorHint")} error={faults.get("executor")}>
          {input("executor")}
        </Field>
        <Field label={t("plans.approver")} hint={t("plans.approverHint")} error={faults.get("approver")}>
          {input("approver")}
        </Field>
        <Field label={t("plans.repeats")}>
          <select
            className="native"
            disabled={disabled}
            value={repeats ? "repeat" : "once"}
            onChange={(e) =>
              onChange(
                e.target.value === "once"
                  ? { repeat: undefined, gap: undefined, overlap: undefined }
                  : { repeat: "30 19 * * 1-5" },
              )
            }
          >
            <option value="once">{t("plans.once")}</option>
            <option value="repeat">{t("plans.again")}</option>
          </select>
        </Field>
        {repeats && (
          <>
            <Field label={t("plans.cron")} hint={t("plans.cronHint")} error={faults.get("repeat")}>
              {input("repeat")}
            </Field>
            <Field label={t("plans.gap")} error={faults.get("gap")}>
              <select
                className={`native${faults.has("gap") ? " bad" : ""}`}
                disabled={disabled}
                value={doc.gap ?? ""}
                onChange={(e) => onChange({ gap: e.target.value || undefined })}
              >
                <option value="">–</option>
                <option value="skip">{t("plans.gapSkip")}</option>
                <option value="after">{t("plans.gapAfter")}</option>
              </select>
            </Field>
            <Field label={t("plans.overlap")} error={faults.get("overlap")}>
              <select
                className={`native${faults.has("overlap") ? " bad" : ""}`}
                disabled={disabled}
                value={doc.overlap ?? ""}
                onChange={(e) => onChange({ overlap: e.target.value || undefined })}
              >
                <option value="">–</option>
                <option value="earlier">{t("plans.earlierOne")}</option>
                <option value="later">{t("plans.laterOne")}</option>
              </select>
            </Field>
          </>
        )}
        <div className="wide">
          <Field label={t("plans.purpose")} error={faults.get("purpose")}>
            <input
              className="native"
              maxLength={1000}
              disabled={disabled}
              value={doc.purpose ?? ""}
              onChange={(e) => onChange({ purpose: e.target.value })}
            />
          </Field>
        </div>
      </div>
    </section>
  );
}
