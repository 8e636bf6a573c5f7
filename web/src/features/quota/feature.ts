import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Feature } from "../../app/feature";
import type { QuotaState } from "./types";

const feature: Feature = {
  nav: [{ group: "operate", order: 6, path: "/quota", label: "quota.title", icon: "quota", key: "q" }],
  routes: [
    { path: "quota", lazy: () => import("./GroupsPage").then((m) => ({ Component: m.GroupsPage })) },
    { path: "quota/:group", lazy: () => import("./GroupPage").then((m) => ({ Component: m.GroupPage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<QuotaState>>(
      client.GET("/api/v1/quota-groups", { params: { query: { limit: 200 } }, signal }),
    );
    const needle = text.toLowerCase();
    return page.items
      .filter((g) => g.name.toLowerCase().includes(needle))
      .map((g) => ({
        id: `quota-${g.id}`,
        group: i18next.t("quota.one"),
        label: g.name,
        hint: g.description,
        to: `/quota/${encodeURIComponent(g.name)}`,
      }));
  },
};

export default feature;
