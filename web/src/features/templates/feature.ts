import type { Feature } from "../../app/feature";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Template } from "../../api/types";
import i18next from "i18next";

const feature: Feature = {
  nav: [
    { group: "design", order: 10, path: "/templates", label: "templates.title", icon: "templates", key: "t" },
  ],
  routes: [
    { path: "templates", lazy: () => import("./Library").then((m) => ({ Component: m.Library })) },
    { path: "templates/:name", lazy: () => import("./Editor").then((m) => ({ Component: m.EditorPage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Template>>(
      client.GET("/api/v1/templates", { params: { query: { search: text, limit: 8 } }, signal }),
    );
    return page.items.map((x) => ({
      id: `template-${x.id}`,
      group: i18next.t("templates.one"),
      label: x.name,
      hint: x.description,
      to: `/templates/${encodeURIComponent(x.name)}`,
    }));
  },
};

export default feature;
