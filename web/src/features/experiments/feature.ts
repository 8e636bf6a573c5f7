import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Feature } from "../../app/feature";
import type { Experiment } from "./api";

const feature: Feature = {
  nav: [
    {
      group: "design",
      order: 24,
      path: "/experiments",
      label: "experiments.title",
      icon: "experiments",
      key: "x",
    },
  ],
  routes: [
    { path: "experiments", lazy: () => import("./ListPage").then((m) => ({ Component: m.ListPage })) },
    {
      path: "experiments/:experiment",
      lazy: () => import("./DetailPage").then((m) => ({ Component: m.DetailPage })),
    },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Experiment>>(client.GET("/api/v1/experiments", { signal }));
    const needle = text.toLowerCase();
    return page.items
      .filter((x) => x.name.toLowerCase().includes(needle))
      .slice(0, 20)
      .map((x) => ({
        id: `experiment-${x.id}`,
        group: i18next.t("experiments.one"),
        label: x.name,
        hint: x.reason,
        to: `/experiments/${encodeURIComponent(x.name)}`,
      }));
  },
};

export default feature;
