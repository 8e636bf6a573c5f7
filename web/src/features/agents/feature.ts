import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Agent } from "../../api/types";
import type { Feature } from "../../app/feature";

const feature: Feature = {
  nav: [{ group: "operate", order: 3, path: "/agents", label: "agents.title", icon: "agents", key: "a" }],
  routes: [
    { path: "agents", lazy: () => import("./AgentsPage").then((m) => ({ Component: m.AgentsPage })) },
    { path: "agents/:instance", lazy: () => import("./AgentPage").then((m) => ({ Component: m.AgentPage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Agent>>(
      client.GET("/api/v1/agents", { params: { query: { search: text, limit: 8 } }, signal }),
    );
    return page.items.map((a) => ({
      id: `agent-${a.instance}`,
      group: i18next.t("agents.one"),
      label: a.instance,
      hint: `${a.app} · ${a.idc} · ${a.host}`,
      to: `/agents/${encodeURIComponent(a.instance)}`,
    }));
  },
};

export default feature;
