import type { Feature } from "../../app/feature";

const feature: Feature = {
  nav: [{ group: "operate", order: 4, path: "/changes", label: "changes.title", icon: "changes", key: "c" }],
  routes: [
    { path: "changes", lazy: () => import("./ChangesPage").then((m) => ({ Component: m.ChangesPage })) },
    {
      path: "changes/:revision",
      lazy: () => import("./ChangePage").then((m) => ({ Component: m.ChangePage })),
    },
  ],
};

export default feature;
