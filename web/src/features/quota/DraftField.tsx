import { useTranslation } from "react-i18next";
import { settingsOf } from "./draft";
import { FieldInput } from "./FieldInput";
import type { Field } from "./fields";
import { integral } from "./rules";
import { digits, number } from "./units";
import type { Draft } from "./useDraft";

/** A setting of the draft. */
export function DraftField({ draft, field, readOnly }: { draft: Draft; field: Field; readOnly: boolean }) {
  const { t } = useTranslation();
  const value = draft.value(field.key);
  const auto =
    field.key === "ki" && number(value) === 0 && !draft.faults.has("window") && !draft.faults.has("delay")
      ? t("quota.autoKi", { ki: digits(integral({ ...settingsOf(draft.base, draft.edits), ki: 0 })) })
      : undefined;
  return (
    <FieldInput
      field={field}
      value={value}
      window={draft.value("window")}
      edited={draft.isEdited(field.key)}
      readOnly={readOnly}
      fault={draft.faults.get(field.key)}
      refused={draft.refused.get(field.key)}
      auto={auto}
      onChange={(text) => draft.set(field.key, text)}
    />
  );
}
