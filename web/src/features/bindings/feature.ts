import type { Feature } from "../../app/feature";

const feature: Feature = {
  nav: [
    { group: "design", order: 11, path: "/bindings", label: "bindings.title", icon: "bindings", key: "b" },
  ],
  routes: [
    { path: "bindings", lazy: () => import("./BindingsPage").then((m) => ({ Component: m.BindingsPage })) },
  ],
};

export default feature;
