import i18next from "i18next";
import { client, take } from "../../api/client";
import type { Page } from "../../api/rollout";
import type { PointState } from "../../api/types";
import type { Feature } from "../../app/feature";
import { pathOf } from "./key";

const feature: Feature = {
  nav: [{ group: "operate", order: 2, path: "/points", label: "points.title", icon: "points", key: "p" }],
  routes: [
    { path: "points", lazy: () => import("./PointsPage").then((m) => ({ Component: m.PointsPage })) },
    {
      path: "points/:scene/:idc/:app/:point",
      lazy: () => import("./PointPage").then((m) => ({ Component: m.PointPage })),
    },
  ],
  find: async (text, signal) => {
    const page = await take<Page<PointState>>(
      client.GET("/api/v1/points", { params: { query: { search: text, limit: 12 } }, signal }),
    );
    return page.items.map((p) => ({
      id: `point-${pathOf(p)}`,
      group: i18next.t("points.one"),
      label: `${p.app} / ${p.point}`,
      hint: `${p.scene} · ${p.idc}`,
      to: pathOf(p),
    }));
  },
};

export default feature;
