import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { Field as Labelled } from "../../ui/Ask";
import type { Fault } from "./draft";
import { laws, type Field } from "./fields";

interface Props {
  field: Field;
  value: string;
  window: string; // of the group, for units
  edited?: boolean;
  readOnly?: boolean;
  fault?: Fault;
  refused?: string; // what the server said
  /** What a 0 stands for, where it stands for something. */
  auto?: string;
  onChange: (text: string) => void;
}

/** One setting with its unit, what it means and what is wrong with it. */
export function FieldInput(props: Props) {
  const { t } = useTranslation();
  const { field: f, value, fault } = props;
  const unit =
    f.unit && t(`quota.unit.${f.unit}`, f.unit === "perWindow" ? { window: props.window } : undefined);
  const error = fault
    ? t(`quota.fault.${fault.key}`, { lo: fault.lo, hi: fault.hi, line: fault.line })
    : said(props.refused);
  const label = t(`quota.field.${f.key}`);
  const hint = props.auto ?? t(`quota.hint.${f.key}`);
  const bad = error ? " bad" : "";

  if (f.kind === "flag")
    return (
      <div className={`stack${props.edited ? " edited" : ""}`} style={{ gap: 3 }}>
        <span className="soft">{label}</span>
        <label className="check" style={{ minHeight: 28 }}>
          <input
            type="checkbox"
            checked={value === "true"}
            disabled={props.readOnly}
            onChange={(e) => props.onChange(String(e.target.checked))}
          />
          {t(value === "true" ? "quota.on" : "quota.off")}
          <span className="sr">{label}</span>
        </label>
        <span className={error ? "danger" : "soft"}>{error ?? hint}</span>
      </div>
    );

  return (
    <div className={`${f.kind === "curves" ? "wide" : ""}`}>
      <div className={props.edited ? "edited" : ""}>
        <Labelled label={label} hint={hint} error={error}>
          {f.kind === "law" ? (
            <select
              className="native"
              value={value}
              disabled={props.readOnly}
              onChange={(e) => props.onChange(e.target.value)}
            >
              {laws.map((l) => (
                <option key={l} value={l}>
                  {t(`quota.law.${l}`)}
                </option>
              ))}
            </select>
          ) : f.kind === "curves" ? (
            <textarea
              className={`native${bad}`}
              rows={5}
              spellCheck={false}
              readOnly={props.readOnly}
              value={value}
              placeholder="0.5 1: 20=0.2 60=0.31 120=0.35"
              onChange={(e) => props.onChange(e.target.value)}
            />
          ) : (
            <span className="with-unit">
              <input
                className={`native${bad}`}
                inputMode={f.kind === "number" ? "decimal" : undefined}
                spellCheck={false}
                readOnly={props.readOnly}
                value={value}
                onChange={(e) => props.onChange(e.target.value)}
              />
              {unit && <span className="soft">{unit}</span>}
            </span>
          )}
        </Labelled>
      </div>
    </div>
  );
}
