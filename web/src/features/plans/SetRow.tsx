import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Template } from "../../api/types";
import { Icon } from "../../ui/icons";
import { actions, places, type Action, type SetDoc } from "./document";

export const strategies = ["fixed", "central", "crowd_rt", "external_timeout"];

const hints: Partial<Record<Action, string>> = {
  level: "3",
  available_rt: "8ms",
  timeout: "60ms",
  target_rt: "160ms",
  budget: "120000",
};

interface Props {
  set: SetDoc;
  at: string;
  faults: Map<string, string>;
  templates: Template[];
  disabled: boolean;
  onChange: (next: SetDoc) => void;
  onCopy: () => void;
  onRemove: () => void;
}

/** Where, and what: one line of a step. */
export function SetRow({ set, at, faults, templates, disabled, onChange, onCopy, onRemove }: Props) {
  const { t } = useTranslation();
  const given = actions.filter((a) => set[a] !== undefined);
  const own = [...faults].filter(([p]) => p === at || p.startsWith(`${at}.`));
  const bad = (field: string) => (faults.has(`${at}.${field}`) ? " bad" : "");
  const put = (change: Partial<SetDoc>) => onChange({ ...set, ...change });
  const field = (a: Action) => {
    const common = {
      "aria-label": t(`plans.action.${a}`),
      "aria-invalid": faults.has(`${at}.${a}`),
      disabled,
    };
    if (a === "strategy")
      return (
        <select
          {...common}
          className={`native${bad(a)}`}
          value={set.strategy}
          onChange={(e) => put({ strategy: e.target.value })}
        >
          {strategies.map((s) => (
            <option key={s}>{s}</option>
          ))}
        </select>
      );
    if (a === "template")
      return (
        <>
          <select
            {...common}
            className={`native${bad(a)}`}
            value={set.template}
            onChange={(e) =>
              put({
                template: e.target.value,
                version: templates.find((x) => x.name === e.target.value)?.latest || "",
              })
            }
          >
            {[...new Set([set.template ?? "", ...templates.filter((x) => x.latest).map((x) => x.name)])].map(
              (n) => (
                <option key={n}>{n}</option>
              ),
            )}
          </select>
          v
          <input
            className={`native short${bad("version")}`}
            aria-label={t("plans.version")}
            inputMode="numeric"
            disabled={disabled}
            value={set.version ?? ""}
            onChange={(e) => put({ version: e.target.value })}
          />
        </>
      );
    return (
      <input
        {...common}
        className={`native short${bad(a)}`}
        placeholder={hints[a]}
        value={set[a] ?? ""}
        onChange={(e) => put({ [a]: e.target.value })}
      />
    );
  };
  const add = (a: Action) =>
    put(
      a === "template"
        ? {
            template: templates.find((x) => x.latest)?.name ?? "",
            version: templates.find((x) => x.latest)?.latest ?? "",
          }
        : { [a]: a === "strategy" ? "fixed" : "" },
    );
  return (
    <div className="plan-set" role="group" aria-label={t("plans.setting")}>
      {places.map((p) => (
        <label key={p}>
          {t(`plans.place.${p}`)}
          <input
            className={`native${bad(p)}`}
            style={p === "idc" || p === "scene" || p === "bucket" ? { width: 60 } : undefined}
            list={`plan-${p}`}
            placeholder="*"
            disabled={disabled}
            value={set[p] ?? ""}
            onChange={(e) => put({ [p]: e.target.value })}
          />
        </label>
      ))}
      {given.map((a) => (
        <label key={a}>
          <strong>{t(`plans.action.${a}`)}</strong>
          {field(a)}
          {!disabled && (
            <button
              type="button"
              className="icon-button"
              style={{ width: 20, height: 20 }}
              aria-label={t("plans.dropAction", { what: t(`plans.action.${a}`) })}
              onClick={() =>
                put(a === "template" ? { template: undefined, version: undefined } : { [a]: undefined })
              }
            >
              <Icon name="close" size={10} />
            </button>
          )}
        </label>
      ))}
      {!disabled && (
        <>
          <select
            className="native add"
            aria-label={t("plans.addAction")}
            value=""
            onChange={(e) => add(e.target.value as Action)}
          >
            <option value="">{t("plans.addAction")}</option>
            {actions
              .filter((a) => !given.includes(a))
              .map((a) => (
                <option key={a} value={a}>
                  {t(`plans.action.${a}`)}
                </option>
              ))}
          </select>
          <span className="row" style={{ gap: 4, marginLeft: "auto" }}>
            <Button
              size="small"
              icon={<Icon name="copy" size={12} />}
              aria-label={t("plans.copySet")}
              title={t("plans.copySet")}
              onClick={onCopy}
            />
            <Button
              size="small"
              danger
              icon={<Icon name="close" size={12} />}
              aria-label={t("plans.removeSet")}
              title={t("plans.removeSet")}
              onClick={onRemove}
            />
          </span>
        </>
      )}
      {own.map(([p, message]) => (
        <span key={p} className="plan-fault">
          {message}
        </span>
      ))}
    </div>
  );
}
