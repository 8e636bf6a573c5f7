import type { Feature } from "../../app/feature";

const feature: Feature = {
  nav: [{ group: "operate", order: 1, path: "/", label: "overview.title", icon: "overview", key: "o" }],
  routes: [
    { index: true, lazy: () => import("./OverviewPage").then((m) => ({ Component: m.OverviewPage })) },
  ],
  bare: [{ path: "wall", lazy: () => import("./WallPage").then((m) => ({ Component: m.WallPage })) }],
};

export default feature;
