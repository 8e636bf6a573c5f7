import { Button } from "antd";
import { useTranslation } from "react-i18next";
import type { Grant } from "../../api/types";
import { Icon } from "../../ui/icons";
import { Tag } from "../../ui/marks";

const roles = ["viewer", "operator", "admin"] as const;
const verbs = [
  "*",
  "read",
  "edit",
  "publish",
  "bind",
  "claim",
  "agents",
  "audit",
  "access",
  "settings",
  "wall",
] as const;

export function GrantTags({ grants }: { grants: Grant[] | undefined }) {
  const { t } = useTranslation();
  return (
    <span className="tags">
      {(grants ?? []).map((g, i) => (
        <Tag key={i} tone={g.role === "admin" ? "warn" : "info"}>
          {t(`settings.roles.${g.role}`)} {g.app} × {g.idc}
          {g.verb && g.verb !== "*" ? ` · ${g.verb}` : ""}
        </Tag>
      ))}
    </span>
  );
}

/** Roles by app × IDC, each narrowed to one verb where wanted. */
export function GrantsField(props: { value: Grant[]; onChange: (grants: Grant[]) => void }) {
  const { t } = useTranslation();
  const { value, onChange } = props;
  const set = (i: number, change: Partial<Grant>) =>
    onChange(value.map((g, j) => (i === j ? { ...g, ...change } : g)));
  return (
    <fieldset className="stack" style={{ gap: 6, border: 0, margin: 0, padding: 0 }}>
      <legend className="soft">{t("settings.grants")}</legend>
      {value.map((g, i) => (
        <div key={i} className="row">
          <select
            className="native"
            aria-label={t("settings.role")}
            value={g.role}
            onChange={(e) => set(i, { role: e.target.value as Grant["role"] })}
          >
            {roles.map((r) => (
              <option key={r} value={r}>
                {t(`settings.roles.${r}`)}
              </option>
            ))}
          </select>
          <input
            className="native"
            style={{ width: 90 }}
            aria-label={t("points.app")}
            value={g.app}
            onChange={(e) => set(i, { app: e.target.value.trim() })}
          />
          ×
          <input
            className="native"
            style={{ width: 90 }}
            aria-label={t("points.idc")}
            value={g.idc}
            onChange={(e) => set(i, { idc: e.target.value.trim() })}
          />
          <select
            className="native"
            aria-label={t("settings.verb")}
            value={g.verb ?? "*"}
            onChange={(e) =>
              set(i, { verb: e.target.value === "*" ? undefined : (e.target.value as Grant["verb"]) })
            }
          >
            {verbs.map((v) => (
              <option key={v} value={v}>
                {v === "*" ? t("settings.anyVerb") : v}
              </option>
            ))}
          </select>
          <button
            type="button"
            className="icon-button"
            aria-label={`${t("ui.delete")} ${i + 1}`}
            onClick={() => onChange(value.filter((_, j) => j !== i))}
          >
            <Icon name="close" size={13} />
          </button>
        </div>
      ))}
      <div>
        <Button
          size="small"
          icon={<Icon name="plus" size={12} />}
          onClick={() => onChange([...value, { role: "viewer", app: "*", idc: "*" }])}
        >
          {t("settings.addGrant")}
        </Button>
      </div>
    </fieldset>
  );
}
