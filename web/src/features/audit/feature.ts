import type { Feature } from "../../app/feature";

const feature: Feature = {
  nav: [{ group: "govern", order: 20, path: "/audit", label: "audit.title", icon: "audit", key: "l" }],
  routes: [{ path: "audit", lazy: () => import("./AuditPage").then((m) => ({ Component: m.AuditPage })) }],
};

export default feature;
