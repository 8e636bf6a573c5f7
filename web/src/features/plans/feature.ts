import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Feature } from "../../app/feature";
import type { Plan } from "./types";

const feature: Feature = {
  nav: [{ group: "operate", order: 2.5, path: "/plans", label: "plans.title", icon: "plans", key: "n" }],
  routes: [
    { path: "plans", lazy: () => import("./PlansPage").then((m) => ({ Component: m.PlansPage })) },
    { path: "plans/new", lazy: () => import("./EditPage").then((m) => ({ Component: m.NewPage })) },
    { path: "plans/:plan", lazy: () => import("./PlanPage").then((m) => ({ Component: m.PlanPage })) },
    { path: "plans/:plan/edit", lazy: () => import("./EditPage").then((m) => ({ Component: m.EditPage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Plan>>(
      client.GET("/api/v1/plans", { params: { query: { limit: 200 } }, signal }),
    );
    const needle = text.toLowerCase();
    return page.items
      .filter((p) => `${p.name} ${p.purpose ?? ""}`.toLowerCase().includes(needle))
      .map((p) => ({
        id: `plan-${p.id}`,
        group: i18next.t("plans.one"),
        label: p.name,
        hint: p.purpose ?? p.zone,
        to: `/plans/${encodeURIComponent(p.name)}`,
      }));
  },
};

export default feature;
