import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { Field } from "../../ui/Ask";
import { statisticOf } from "../../ui/format";
import { useDeclared } from "./api";
import { fieldOf, ladderOf, type SceneForm } from "./document";
import { labels } from "./labels";
import type { Judgement } from "./types";

interface Props {
  form: SceneForm;
  fixedName?: boolean;
  disabled?: boolean;
  judgement?: Judgement;
  onChange: (change: Partial<SceneForm>) => void;
}

const statistics = ["mean", "p50", "p90", "p95", "p99", "p99.9"];

/** The fields of a scene, each with what the server finds wrong or odd about it. */
export function SceneFields({ form, fixedName, disabled, judgement, onChange }: Props) {
  const { t } = useTranslation();
  const declared = useDeclared();
  const found = (field: keyof SceneForm, of: "problems" | "warnings") =>
    judgement?.[of]
      .filter((p) => fieldOf(p.path) === field)
      .map((p) => said(p.message))
      .join("; ") || undefined;
  const text = (
    key: Exclude<keyof SceneForm, "feedbackAlone" | "statistic">,
    more?: { hint?: string; list?: string; max?: number; fixed?: boolean; focus?: boolean },
  ) => {
    const error = found(key, "problems");
    const warning = found(key, "warnings");
    return (
      <Field
        label={t(labels[key])}
        error={error}
        hint={warning ? <span className="warning">{warning}</span> : more?.hint}
      >
        <input
          className={`native${error ? " bad" : ""}`}
          aria-invalid={!!error}
          autoFocus={more?.focus}
          maxLength={more?.max ?? 32}
          list={more?.list}
          disabled={disabled || more?.fixed}
          value={form[key]}
          onChange={(e) => onChange({ [key]: e.target.value })}
        />
      </Field>
    );
  };
  const steps = ladderOf(form.ladder).length + 1;
  return (
    <div className="scene-fields">
      {text("name", {
        hint: t("scenes.form.nameHint"),
        max: 63,
        fixed: fixedName,
        focus: !fixedName,
      })}
      {text("description", { max: 1000 })}
      {text("target", { hint: t("scenes.form.targetHint") })}
      <Field
        label={t(labels.statistic)}
        error={found("statistic", "problems")}
        hint={t("scenes.form.statisticHint")}
      >
        <select
          className="native"
          disabled={disabled}
          value={form.statistic}
          onChange={(e) => onChange({ statistic: e.target.value })}
        >
          {[...new Set([...statistics, form.statistic])].map((s) => (
            <option key={s} value={s}>
              {statisticOf(t, s)}
            </option>
          ))}
        </select>
      </Field>
      {text("front", { hint: t("scenes.form.frontHint"), list: "scene-fronts", max: 127 })}
      <datalist id="scene-fronts">
        {(declared.data ?? [])
          .filter((d) => !d.external)
          .map((d) => (
            <option key={`${d.app}/${d.point}`} value={`${d.app}/${d.point}`} />
          ))}
      </datalist>
      {text("timeout", { hint: t("scenes.form.timeoutHint") })}
      {text("maxTimeouts", { hint: t("scenes.form.maxTimeoutsHint") })}
      {text("ladder", { hint: t("scenes.form.ladderHint", { count: steps }), max: 400 })}
      {text("from", { hint: t("scenes.form.fromHint") })}
      {text("to", { hint: t("scenes.form.toHint") })}
      <label className="check">
        <input
          type="checkbox"
          disabled={disabled}
          checked={form.feedbackAlone}
          onChange={(e) => onChange({ feedbackAlone: e.target.checked })}
        />
        <span>
          {t("scenes.form.feedbackAlone")} <span className="soft">{t("scenes.form.feedbackAloneHint")}</span>
        </span>
      </label>
    </div>
  );
}
