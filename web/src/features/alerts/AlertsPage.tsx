import "./alerts.css";
import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { PageHead } from "../../ui/marks";
import { Missing } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { ListTab } from "./ListTab";
import { RulesTab } from "./RulesTab";
import { SilencesTab } from "./SilencesTab";
import { SinksTab } from "./SinksTab";

export function AlertsPage() {
  const { t } = useTranslation();
  const admin = useCan("settings");
  const [params, setParams] = useSearchParams();
  const tab = params.get("tab") ?? "list";
  const items = ["list", "silences", "rules", ...(admin ? ["sinks"] : [])].map((key) => ({
    key,
    label: t(`alerts.tabs.${key}`),
  }));
  return (
    <div className="page" style={{ overflow: tab === "list" ? "hidden" : undefined }}>
      <PageHead title={t("alerts.title")} />
      <Tabs
        label={t("alerts.title")}
        items={items}
        value={tab}
        onChange={(key) => setParams(key === "list" ? {} : { tab: key }, { replace: true })}
      />
      {tab === "list" && <ListTab />}
      {tab === "silences" && <SilencesTab />}
      {tab === "rules" && <RulesTab />}
      {tab === "sinks" && (admin ? <SinksTab /> : <Missing status={403} />)}
    </div>
  );
}
