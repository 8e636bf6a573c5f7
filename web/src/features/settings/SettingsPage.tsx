import { useTranslation } from "react-i18next";
import { useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { PageHead } from "../../ui/marks";
import { Missing } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { Account } from "./Account";
import { Rules } from "./Rules";
import { EnrolmentTokens, Tokens } from "./Tokens";
import { Users } from "./Users";

export function SettingsPage() {
  const { t } = useTranslation();
  const access = useCan("access");
  const [params, setParams] = useSearchParams();
  const tab = params.get("tab") ?? (access ? "users" : "account");
  const items = [...(access ? ["users", "tokens", "enrolment"] : []), "rules", "account"].map((key) => ({
    key,
    label: t(`settings.tabs.${key}`),
  }));
  const guarded = !access && ["users", "tokens", "enrolment"].includes(tab);
  return (
    <div className="page">
      <PageHead title={t("settings.title")} />
      <Tabs
        label={t("settings.title")}
        items={items}
        value={tab}
        onChange={(key) =>
          setParams(
            (p) => {
              p.set("tab", key);
              return p;
            },
            { replace: true },
          )
        }
      />
      {guarded && <Missing status={403} />}
      {tab === "users" && access && <Users />}
      {tab === "tokens" && access && <Tokens />}
      {tab === "enrolment" && access && <EnrolmentTokens />}
      {tab === "rules" && <Rules />}
      {tab === "account" && <Account />}
    </div>
  );
}
