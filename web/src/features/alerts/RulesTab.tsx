import { App, Button } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useCan } from "../../api/session";
import { Ask, Field } from "../../ui/Ask";
import { DataTable, type Column } from "../../ui/DataTable";
import { Tag } from "../../ui/marks";
import { Loaded } from "../../ui/states";
import { saveRule, useRules, type Rule } from "./api";
import { SeverityTag } from "./marks";

const shown = (r: Rule) =>
  r.unit === "share" ? `${Math.round(r.threshold * 100)} %` : r.unit === "count" ? String(r.threshold) : "–";

export function RulesTab() {
  const { t } = useTranslation();
  const may = useCan("settings");
  const query = useRules();
  const [editing, setEditing] = useState<Rule>();
  const columns: Column<Rule>[] = [
    {
      key: "kind",
      title: t("alerts.kind"),
      render: (r) => <strong>{t(`alerts.kinds.${r.kind}`)}</strong>,
    },
    { key: "about", title: t("alerts.about"), render: (r) => t(`alerts.abouts.${r.kind}`) },
    {
      key: "enabled",
      title: t("alerts.state"),
      render: (r) => (
        <Tag tone={r.enabled ? "good" : ""}>{t(r.enabled ? "alerts.enabled" : "alerts.off")}</Tag>
      ),
    },
    { key: "severity", title: t("alerts.severity"), render: (r) => <SeverityTag severity={r.severity} /> },
    { key: "threshold", title: t("alerts.threshold"), num: true, render: shown },
    { key: "for", title: t("alerts.forLong"), num: true, render: (r) => r.for },
    { key: "clear", title: t("alerts.clear"), num: true, render: (r) => r.clear },
    {
      key: "by",
      title: t("alerts.by"),
      render: (r) => (r.default ? <span className="soft">{t("alerts.default")}</span> : r.updated_by),
    },
    {
      key: "do",
      title: "",
      width: 80,
      render: (r) =>
        may && (
          <Button
            size="small"
            onClick={() => setEditing(r)}
            aria-label={`${t("alerts.edit")} ${t(`alerts.kinds.${r.kind}`)}`}
          >
            {t("alerts.edit")}
          </Button>
        ),
    },
  ];
  return (
    <>
      <Loaded query={query}>
        {(data) => (
          <DataTable
            label={t("alerts.tabs.rules")}
            columns={columns}
            rows={data.items}
            rowKey={(r) => r.kind}
          />
        )}
      </Loaded>
      {editing && <RuleDialog rule={editing} onClose={() => setEditing(undefined)} />}
    </>
  );
}

function RuleDialog({ rule: r, onClose }: { rule: Rule; onClose: () => void }) {
  const { t } = useTranslation();
  const { message } = App.useApp();
  const scale = r.unit === "share" ? 100 : 1;
  const [enabled, setEnabled] = useState(r.enabled);
  const [severity, setSeverity] = useState(r.severity);
  const [threshold, setThreshold] = useState(String(Math.round(r.threshold * scale * 100) / 100));
  const [hold, setHold] = useState(r.for);
  const [clear, setClear] = useState(r.clear);
  const number = Number(threshold);
  const bad = r.unit !== "none" && !(number > 0);
  return (
    <Ask
      title={t(`alerts.kinds.${r.kind}`)}
      ok={t("ui.save")}
      okDisabled={bad}
      onClose={onClose}
      onOk={async (reason) => {
        await saveRule(r, {
          enabled,
          severity,
          for: hold.trim(),
          clear: clear.trim(),
          ...(r.unit !== "none" && { threshold: number / scale }),
          ...(reason && { reason }),
        });
        void message.success(t("ui.done"));
      }}
    >
      <div className="soft">{t(`alerts.abouts.${r.kind}`)}</div>
      <label className="row" style={{ gap: 8 }}>
        <input type="checkbox" checked={enabled} onChange={(e) => setEnabled(e.target.checked)} />
        {t("alerts.enabled")}
      </label>
      <div className="alert-fields">
        <Field label={t("alerts.severity")}>
          <select
            className="native"
            value={severity}
            onChange={(e) => setSeverity(e.target.value as Rule["severity"])}
          >
            {(["warning", "critical"] as const).map((s) => (
              <option key={s} value={s}>
                {t(`alerts.severities.${s}`)}
              </option>
            ))}
          </select>
        </Field>
        {r.unit !== "none" && (
          <Field
            label={`${t("alerts.threshold")} (${t(`alerts.units.${r.unit}`)})`}
            error={bad && t("alerts.wantsNumber")}
          >
            <input className="native" value={threshold} onChange={(e) => setThreshold(e.target.value)} />
          </Field>
        )}
        <Field label={t("alerts.forLong")}>
          <input className="native" value={hold} onChange={(e) => setHold(e.target.value)} />
        </Field>
        <Field label={t("alerts.clear")}>
          <input className="native" value={clear} onChange={(e) => setClear(e.target.value)} />
        </Field>
      </div>
    </Ask>
  );
}
