import { App, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import type { Settings } from "../../api/types";
import { Ask, Field } from "../../ui/Ask";
import { Card } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { saveSettings, useSettings } from "./api";

const keys = ["retention_minutes", "retention_hours", "stale_after", "forget_after"] as const;

export function Rules() {
  const query = useSettings();
  return <Loaded query={query}>{(s) => <Form key={s.version} settings={s} />}</Loaded>;
}

function Form({ settings }: { settings: Settings }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const may = useCan("settings");
  const [form, setForm] = useState(
    () => Object.fromEntries(keys.map((k) => [k, settings[k]])) as Record<(typeof keys)[number], string>,
  );
  const [asking, setAsking] = useState(false);
  const dirty = keys.some((k) => form[k] !== settings[k]);
  return (
    <Card title={t("settings.tabs.rules")}>
      <div className="stack" style={{ maxWidth: 460 }}>
        {keys.map((k) => (
          <Field key={k} label={t(`settings.rule.${k}`)} hint={t(`settings.ruleHint.${k}`)}>
            <input
              className="native"
              style={{ width: 140 }}
              readOnly={!may}
              value={form[k]}
              onChange={(e) => setForm({ ...form, [k]: e.target.value })}
            />
          </Field>
        ))}
        {may && (
          <div>
            <Button type="primary" disabled={!dirty} onClick={() => setAsking(true)}>
              {t("ui.save")}
            </Button>
          </div>
        )}
      </div>
      {asking && (
        <Ask
          title={t("settings.saveRules")}
          ok={t("ui.save")}
          onClose={() => setAsking(false)}
          onOk={async (reason) => {
            await saveSettings(settings.version ?? 0, { ...form, reason: reason || undefined });
            void message.success(t("ui.done"));
          }}
        />
      )}
    </Card>
  );
}
