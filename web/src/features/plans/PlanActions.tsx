import { Button, Dropdown } from "antd";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { useCan, useMe } from "../../api/session";
import { said } from "../../said/said";
import { Ask } from "../../ui/Ask";
import { showPlan } from "../../ui/commands";
import { CopyAs } from "../../ui/CopyAs";
import { Icon } from "../../ui/icons";
import { Tag } from "../../ui/marks";
import * as api from "./api";
import { docOf } from "./document";

const verbs = {
  draft: ["approve"],
  approved: ["hold", "stop"],
  held: ["resume", "stop"],
  stopped: [],
  done: [],
} as const;

/** What can be done with a plan as a whole; each asks why. */
export function PlanActions({ plan }: { plan: api.Seen }) {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useCan("claim");
  const me = useMe();
  const protectedScenes = api.useProtectedScenes();
  const [verb, setVerb] = useState<api.Verb | "delete">();
  const doc = docOf(plan.document);
  const touched = (protectedScenes.data ?? []).filter((scene) =>
    doc.steps.some((s) => (s.set ?? []).some((x) => !x.scene || x.scene === "*" || x.scene === scene)),
  );
  const mine = me.data && [plan.created_by, plan.updated_by].includes(me.data.name);
  const warned = plan.readiness.filter((r) => r.level !== "ok" && r.name !== "approval");
  const file = (format: string) => ({
    key: format,
    label: <a href={api.exportURL(plan.name, format)}>{t(`plans.export.${format}`)}</a>,
  });
  return (
    <>
      <CopyAs yaml={() => plan.document} cli={showPlan(plan.name)} />
      <Dropdown trigger={["click"]} menu={{ items: ["ics", "md", "yaml", "json"].map(file) }}>
        <Button>{t("plans.exports")}</Button>
      </Dropdown>
      <Dropdown
        trigger={["click"]}
        menu={{
          items: [
            {
              key: "copy",
              label: t("plans.copy"),
              disabled: !may,
              onClick: () => void navigate(`/plans/new?from=${encodeURIComponent(plan.name)}`),
            },
            { type: "divider" },
            {
              key: "delete",
              label: t("ui.delete"),
              danger: true,
              disabled: !may,
              onClick: () => setVerb("delete"),
            },
          ],
        }}
      >
        <Button icon={<Icon name="more" size={13} />} aria-label={t("plans.moreActions")} />
      </Dropdown>
      {may && (
        <>
          <Button onClick={() => void navigate(`/plans/${encodeURIComponent(plan.name)}/edit`)}>
            {t("ui.edit")}
          </Button>
          {verbs[plan.state].map((v) => (
            <Button
              key={v}
              type={v === "approve" || v === "resume" ? "primary" : "default"}
              danger={v === "stop"}
              onClick={() => setVerb(v)}
            >
              {t(`plans.do_.${v}`)}
            </Button>
          ))}
        </>
      )}
      {verb && verb !== "delete" && (
        <Ask
          title={t(`plans.ask.${verb}`, { name: plan.name })}
          ok={t(`plans.do_.${verb}`)}
          danger={verb === "stop"}
          needReason
          onOk={(reason) => api.act(plan.id, verb, reason)}
          onClose={() => setVerb(undefined)}
        >
          <div>{t(`plans.askHint.${verb}`)}</div>
          {verb === "approve" && touched.length > 0 && (
            <div className="note warn">
              {t(mine ? "plans.approveMine" : "plans.approveProtected", { scenes: touched.join(", ") })}
            </div>
          )}
          {verb === "approve" &&
            warned.map((r) => (
              <div key={r.name} className="row">
                <Tag tone={r.level === "fail" ? "bad" : "warn"}>{t(`plans.check.${r.name}`)}</Tag>
                <span>{said(r.detail)}</span>
              </div>
            ))}
        </Ask>
      )}
      {verb === "delete" && (
        <Ask
          title={t("plans.deleteTitle", { name: plan.name })}
          ok={t("ui.delete")}
          danger
          onOk={async (reason) => {
            await api.remove(plan.id, plan.etag, reason);
            void navigate("/plans");
          }}
          onClose={() => setVerb(undefined)}
        >
          <div>{t("plans.deleteHint")}</div>
        </Ask>
      )}
    </>
  );
}
