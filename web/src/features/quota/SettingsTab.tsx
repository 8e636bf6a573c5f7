import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { Card } from "../../ui/marks";
import { sections, shows } from "./fields";
import { DraftField } from "./DraftField";
import { MembersEditor } from "./MembersEditor";
import type { Draft } from "./useDraft";

/** Everything about a group, with units; saved from the bar below. */
export function SettingsTab({ draft, readOnly }: { draft: Draft; readOnly: boolean }) {
  const { t } = useTranslation();
  return (
    <div className="stack">
      <Card title={t("quota.general")}>
        <div className="stack">
          <div className="quota-fields">
            <label className="stack wide" style={{ gap: 3 }}>
              <span className="soft">{t("quota.field.description")}</span>
              <input
                className="native"
                maxLength={1000}
                readOnly={readOnly}
                value={draft.value("description")}
                onChange={(e) => draft.set("description", e.target.value)}
              />
            </label>
          </div>
          <label className="check">
            <input
              type="checkbox"
              checked={draft.value("enabled") === "true"}
              disabled={readOnly}
              onChange={(e) => draft.set("enabled", String(e.target.checked))}
            />
            {t("quota.field.enabled")}
            <span className="soft">{t("quota.hint.enabled")}</span>
          </label>
          <MembersEditor
            members={draft.members}
            readOnly={readOnly}
            error={said(draft.refused.get("members"))}
            onChange={draft.setMembers}
          />
        </div>
      </Card>
      {sections.map((s) => (
        <Card key={s.key} title={t(`quota.section.${s.key}`)}>
          <div className="quota-fields">
            {s.fields
              .filter((f) => shows(f, draft.value("law")))
              .map((f) => (
                <DraftField key={f.key} draft={draft} field={f} readOnly={readOnly} />
              ))}
          </div>
        </Card>
      ))}
    </div>
  );
}
