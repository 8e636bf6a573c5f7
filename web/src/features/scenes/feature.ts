import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Feature } from "../../app/feature";
import type { Scene } from "./types";

const feature: Feature = {
  nav: [
    { group: "operate", order: 2, path: "/scenes", label: "scenes.title", icon: "scenes", key: "e" },
    { group: "operate", order: 2.5, path: "/links", label: "scenes.links", icon: "links", key: "k" },
  ],
  routes: [
    { path: "links", lazy: () => import("./LinksPage").then((m) => ({ Component: m.LinksPage })) },
    { path: "scenes", lazy: () => import("./ScenesPage").then((m) => ({ Component: m.ScenesPage })) },
    {
      path: "scenes/new",
      lazy: () => import("./NewScenePage").then((m) => ({ Component: m.NewScenePage })),
    },
    { path: "scenes/:scene", lazy: () => import("./ScenePage").then((m) => ({ Component: m.ScenePage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Scene>>(
      client.GET("/api/v1/scenes", { params: { query: { limit: 200 } }, signal }),
    );
    const needle = text.toLowerCase();
    return page.items
      .filter((s) => s.name.toLowerCase().includes(needle))
      .flatMap((s) => [
        {
          id: `scene-${s.id}`,
          group: i18next.t("scenes.one"),
          label: s.name,
          hint: s.target,
          to: `/scenes/${encodeURIComponent(s.name)}`,
        },
        {
          id: `links-${s.id}`,
          group: i18next.t("scenes.links"),
          label: s.name,
          to: `/links?scene=${encodeURIComponent(s.name)}`,
        },
      ]);
  },
};

export default feature;
