import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Feature } from "../../app/feature";
import { said } from "../../said/said";
import type { Alert } from "./api";
import { Badge } from "./Badge";

const feature: Feature = {
  nav: [
    { group: "operate", order: 1.5, path: "/alerts", label: "alerts.title", icon: "warn", key: "w", Badge },
  ],
  routes: [
    { path: "alerts", lazy: () => import("./AlertsPage").then((m) => ({ Component: m.AlertsPage })) },
    { path: "alerts/:alert", lazy: () => import("./AlertPage").then((m) => ({ Component: m.AlertPage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Alert>>(
      client.GET("/api/v1/alerts", {
        params: { query: { state: "open", search: text.slice(0, 100), limit: 20 } },
        signal,
      }),
    );
    return page.items.map((a) => ({
      id: `alert-${a.id}`,
      group: i18next.t("alerts.one"),
      label: said(a.title),
      hint: said(a.reason),
      to: `/alerts/${a.id}`,
    }));
  },
};

export default feature;
