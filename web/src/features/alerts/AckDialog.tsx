import { App, Input } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { said } from "../../said/said";
import { Ask, Field } from "../../ui/Ask";
import { ack, type Alert } from "./api";

export function AckDialog({ alert, onClose }: { alert: Alert; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [note, setNote] = useState("");
  return (
    <Ask
      title={t("alerts.ackTitle")}
      ok={t("alerts.ack")}
      noReason
      onClose={onClose}
      onOk={async () => {
        await ack(alert.id, note.trim());
        void message.success(t("ui.done"));
      }}
    >
      <div>{said(alert.reason)}</div>
      <Field label={t("alerts.note")} hint={t("alerts.ackHint")}>
        <Input
          autoFocus
          maxLength={500}
          value={note}
          placeholder={t("alerts.notePlaceholder")}
          onChange={(e) => setNote(e.target.value)}
        />
      </Field>
    </Ask>
  );
}
