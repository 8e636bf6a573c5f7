import { App } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { Ask, Field } from "../../ui/Ask";
import { saveSink, sinkKinds, type Sink } from "./api";

/** Address and secret are write-only: left empty, what is stored stays. */
export function SinkDialog({ sink, onClose }: { sink?: Sink; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const [form, setForm] = useState({
    name: sink?.name ?? "",
    kind: sink?.kind ?? "webhook",
    url: "",
    secret: "",
    app: sink?.app ?? "",
    idc: sink?.idc ?? "",
    critical: sink?.severity === "critical",
    enabled: sink?.enabled ?? true,
    resolved: sink?.resolved ?? true,
  });
  const set = (change: Partial<typeof form>) => setForm({ ...form, ...change });
  const moved = !!sink && (form.url !== "" || form.kind !== sink.kind);
  const lacking = !form.name.trim() || (!sink && !form.url.trim());
  return (
    <Ask
      title={sink ? t("alerts.editSink", { name: sink.name }) : t("alerts.newSink")}
      ok={t("ui.save")}
      okDisabled={lacking}
      width={520}
      onClose={onClose}
      onOk={async (reason) => {
        const { critical, url, secret, app, idc, ...rest } = form;
        await saveSink(sink, {
          ...rest,
          name: form.name.trim(),
          ...(url && { url: url.trim() }),
          ...(secret && { secret }),
          ...(app && { app }),
          ...(idc && { idc }),
          ...(critical && { severity: "critical" as const }),
          ...(sink?.kinds?.length && { kinds: sink.kinds }),
          ...(reason && { reason }),
        });
        void message.success(t("ui.done"));
      }}
    >
      <div className="alert-fields">
        <Field label={t("alerts.name")}>
          <input
            className="native"
            value={form.name}
            maxLength={63}
            autoComplete="off"
            onChange={(e) => set({ name: e.target.value })}
          />
        </Field>
        <Field label={t("alerts.sinkKind")}>
          <select
            className="native"
            value={form.kind}
            onChange={(e) => set({ kind: e.target.value as Sink["kind"] })}
          >
            {sinkKinds.map((k) => (
              <option key={k} value={k}>
                {t(`alerts.sinkKinds.${k}`)}
              </option>
            ))}
          </select>
        </Field>
      </div>
      <Field
        label={t("alerts.address")}
        hint={sink ? t("alerts.keeps", { host: sink.host }) : t(`alerts.urlHints.${form.kind}`)}
      >
        <input
          className="native"
          value={form.url}
          maxLength={2048}
          autoComplete="off"
          spellCheck={false}
          onChange={(e) => set({ url: e.target.value })}
        />
      </Field>
      <Field
        label={t("alerts.secret")}
        hint={
          sink?.signed
            ? t(moved ? "alerts.secretAgain" : "alerts.secretKeeps")
            : t(`alerts.secretHints.${form.kind}`)
        }
      >
        <input
          className="native"
          type="password"
          value={form.secret}
          maxLength={256}
          autoComplete="new-password"
          onChange={(e) => set({ secret: e.target.value })}
        />
      </Field>
      <div className="alert-fields">
        {(["app", "idc"] as const).map((k) => (
          <Field key={k} label={t(`alerts.only.${k}`)}>
            <input
              className="native"
              value={form[k]}
              maxLength={63}
              placeholder={t("ui.all")}
              onChange={(e) => set({ [k]: e.target.value })}
            />
          </Field>
        ))}
      </div>
      {(["enabled", "resolved", "critical"] as const).map((k) => (
        <label key={k} className="row" style={{ gap: 8 }}>
          <input type="checkbox" checked={form[k]} onChange={(e) => set({ [k]: e.target.checked })} />
          {t(`alerts.check.${k}`)}
        </label>
      ))}
    </Ask>
  );
}
