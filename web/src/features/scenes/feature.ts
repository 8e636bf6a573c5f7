import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { Feature } from "../../app/feature";
import type { Scene } from "./types";

const feature: Feature = {
  nav: [{ group: "operate", order: 2, path: "/scenes", label: "scenes.title", icon: "points", key: "e" }],
  routes: [
    { path: "scenes", lazy: () => import("./ScenesPage").then((m) => ({ Component: m.ScenesPage })) },
    { path: "scenes/:scene", lazy: () => import("./ScenePage").then((m) => ({ Component: m.ScenePage })) },
  ],
  find: async (text, signal) => {
    const page = await take<Page<Scene>>(
      client.GET("/api/v1/scenes", { params: { query: { limit: 200 } }, signal }),
    );
    const needle = text.toLowerCase();
    return page.items
      .filter((s) => s.name.toLowerCase().includes(needle))
      .map((s) => ({
        id: `scene-${s.id}`,
        group: i18next.t("scenes.one"),
        label: s.name,
        hint: s.target,
        to: `/scenes/${encodeURIComponent(s.name)}`,
      }));
  },
};

export default feature;
