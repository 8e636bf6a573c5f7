import { Button } from "antd";
import { lazy, Suspense } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate, useSearchParams } from "react-router";
import { useCan } from "../../api/session";
import { Icon } from "../../ui/icons";
import { PageHead } from "../../ui/marks";
import { Empty, Loaded, Skeleton } from "../../ui/states";
import { Tabs } from "../../ui/Tabs";
import { useAddressText } from "../../ui/useAddressText";
import { usePlans } from "./api";
import { PlansChart } from "./PlansChart";
import { PlansTable } from "./PlansTable";
import type { Plan } from "./types";
import "./plans.css";

const FreezesTab = lazy(() => import("./FreezesTab"));

/** Filters of the list, all of them in the address. */
function useFilter() {
  const [params, setParams] = useSearchParams();
  const set = (key: string, value: string) =>
    setParams(
      (p) => {
        if (value) p.set(key, value);
        else p.delete(key);
        return p;
      },
      { replace: true },
    );
  return { params, set };
}

export function PlansPage() {
  const { t } = useTranslation();
  const navigate = useNavigate();
  const may = useCan("claim");
  const { params, set } = useFilter();
  const tab = params.get("tab") ?? "plans";
  const query = usePlans();
  const [text, setText] = useAddressText();
  const state = params.get("state") ?? "";
  const fits = (p: Plan) =>
    (!state || p.state === state) &&
    (!text ||
      [p.name, p.owner, p.executor, p.purpose ?? ""].some((x) =>
        x.toLowerCase().includes(text.toLowerCase()),
      ));
  const start = (from: string) => void navigate(`/plans/new${from}`);
  return (
    <div className="page">
      <PageHead
        title={t("plans.title")}
        actions={
          may &&
          tab === "plans" && (
            <>
              <Button onClick={() => start("?from=example")}>{t("plans.fromExample")}</Button>
              <Button type="primary" icon={<Icon name="plus" size={13} />} onClick={() => start("")}>
                {t("plans.new")}
              </Button>
            </>
          )
        }
      />
      <Tabs
        label={t("plans.title")}
        items={[
          { key: "plans", label: t("plans.tabs.plans") },
          { key: "freezes", label: t("plans.tabs.freezes") },
        ]}
        value={tab}
        onChange={(k) => set("tab", k === "plans" ? "" : k)}
      />
      {tab === "freezes" ? (
        <Suspense fallback={<Skeleton />}>
          <FreezesTab />
        </Suspense>
      ) : (
        <Loaded query={query}>
          {(rows) => {
            const shown = rows.filter(fits);
            return rows.length === 0 ? (
              <Empty
                title={t("plans.none")}
                action={
                  may && (
                    <Button type="primary" onClick={() => start("?from=example")}>
                      {t("plans.fromExampleLong")}
                    </Button>
                  )
                }
              >
                {t("plans.noneHint")}
              </Empty>
            ) : (
              <>
                <div className="toolbar">
                  <input
                    className="native"
                    type="search"
                    data-search
                    aria-label={t("ui.search")}
                    placeholder={t("plans.searchHint")}
                    style={{ width: 240 }}
                    value={text}
                    onChange={(e) => setText(e.target.value)}
                  />
                  <select
                    className="native"
                    aria-label={t("plans.stateLabel")}
                    value={state}
                    onChange={(e) => set("state", e.target.value)}
                  >
                    <option value="">{t("plans.anyState")}</option>
                    {["draft", "approved", "held", "stopped", "done"].map((s) => (
                      <option key={s} value={s}>
                        {t(`plans.state.${s}`)}
                      </option>
                    ))}
                  </select>
                </div>
                <PlansChart plans={shown} params={params} set={set} />
                {shown.length === 0 ? <Empty title={t("plans.noMatch")} /> : <PlansTable plans={shown} />}
              </>
            );
          }}
        </Loaded>
      )}
    </div>
  );
}
