import type { Feature } from "../../app/feature";

const feature: Feature = {
  nav: [
    { group: "govern", order: 21, path: "/settings", label: "settings.title", icon: "settings", key: "s" },
  ],
  routes: [
    { path: "settings", lazy: () => import("./SettingsPage").then((m) => ({ Component: m.SettingsPage })) },
  ],
};

export default feature;
