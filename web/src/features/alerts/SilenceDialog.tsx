import { App } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask, Field } from "../../ui/Ask";
import { kinds, silence, type Alert } from "./api";

const fields = ["app", "idc", "scene", "point", "instance", "object"] as const;
const lengths = ["30m", "1h", "2h", "4h", "12h", "24h", "72h", "168h"];

/** A silence always has an end and a reason. Given an alert it begins with its scope. */
export function SilenceDialog({ alert, onClose }: { alert?: Alert; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [kind, setKind] = useState<string>(alert?.kind ?? "");
  const [length, setLength] = useState("2h");
  const [scope, setScope] = useState(() => {
    const s = alert?.scope;
    // One place of many would silence the alert only while that place is the worst.
    return {
      app: s?.app ?? "",
      idc: s?.idc ?? "",
      scene: "",
      point: "",
      instance: s?.instance ?? "",
      object: s?.object ?? "",
    };
  });
  return (
    <Ask
      title={t("alerts.silenceTitle")}
      ok={t("alerts.silence")}
      needReason
      width={520}
      onClose={onClose}
      onOk={async (reason) => {
        await silence({
          kind: kind || undefined,
          scope: Object.fromEntries(Object.entries(scope).filter(([, v]) => v.trim())),
          reason,
          for: length,
        });
        void message.success(t("ui.done"));
      }}
    >
      <div className="alert-fields">
        <Field label={t("alerts.kind")}>
          <select className="native" value={kind} onChange={(e) => setKind(e.target.value)}>
            <option value="">{t("ui.all")}</option>
            {kinds.map((k) => (
              <option key={k} value={k}>
                {t(`alerts.kinds.${k}`)}
              </option>
            ))}
          </select>
        </Field>
        <Field label={t("alerts.for")}>
          <select className="native" value={length} onChange={(e) => setLength(e.target.value)}>
            {lengths.map((l) => (
              <option key={l} value={l}>
                {t(`alerts.lengths.${l}`)}
              </option>
            ))}
          </select>
        </Field>
        {fields.map((f) => (
          <Field key={f} label={t(`alerts.${f}`)}>
            <input
              className="native"
              value={scope[f]}
              maxLength={253}
              placeholder={t("ui.all")}
              onChange={(e) => setScope({ ...scope, [f]: e.target.value })}
            />
          </Field>
        ))}
      </div>
      <div className="soft">{t("alerts.silenceHint")}</div>
    </Ask>
  );
}
