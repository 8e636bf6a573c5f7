import i18next from "i18next";
import type { Feature } from "../../app/feature";
import { sorts } from "./api";

const feature: Feature = {
  nav: [
    {
      group: "operate",
      order: 3,
      path: "/leaderboard",
      label: "leaderboard.title",
      icon: "leaderboard",
      key: "r",
    },
  ],
  routes: [
    {
      path: "leaderboard",
      lazy: () => import("./LeaderboardPage").then((m) => ({ Component: m.LeaderboardPage })),
    },
  ],
  // The rankings by name: "flapping" leads to the board by flapping.
  find: (text) => {
    const needle = text.toLowerCase();
    return Promise.resolve(
      sorts
        .map((sort) => ({
          id: `leaderboard-${sort}`,
          group: i18next.t("leaderboard.title"),
          label: i18next.t(`leaderboard.sorts.${sort}`),
          to: `/leaderboard?sort=${sort}`,
        }))
        .filter((c) => c.label.toLowerCase().includes(needle)),
    );
  },
};

export default feature;
