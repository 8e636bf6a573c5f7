import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, take } from "../../api/client";
import { useRefresh } from "../../api/live";
import type { App, Schemas } from "../../api/types";

export type Board = Schemas["Leaderboard"];
export type BoardRow = Schemas["LeaderboardRow"];
export type Figures = Schemas["LevelFigures"];

export const windows = ["live", "1h", "6h", "24h", "7d", "30d"] as const;
export const groups = ["point", "app", "idc", "scene"] as const;
export const sorts = ["-movement", "-flapping", "level", "-level", "-floor", "-overridden"] as const;

export interface Query {
  window: (typeof windows)[number];
  group: (typeof groups)[number];
  sort: (typeof sorts)[number];
  to?: string;
  app?: string;
  idc?: string;
  scene?: string;
}

const one = <T extends string>(allowed: readonly T[], value: string | null): T =>
  allowed.find((x) => x === value) ?? allowed[0]!;

/** What the address says; anything unknown is the default. */
export function queryOf(p: URLSearchParams): Query {
  const to = p.get("to");
  return {
    window: one(windows, p.get("window")),
    group: one(groups, p.get("group")),
    sort: one(sorts, p.get("sort")),
    to: to && !Number.isNaN(Date.parse(to)) ? new Date(to).toISOString() : undefined,
    app: p.get("app") || undefined,
    idc: p.get("idc") || undefined,
    scene: p.get("scene") || undefined,
  };
}

/** The same as CSV, every row. */
export const exportPath = (q: Query) =>
  `/api/v1/leaderboard/export?${new URLSearchParams(
    Object.entries(q).filter((x): x is [string, string] => !!x[1]),
  ).toString()}`;

export function useBoard(query: Query) {
  const refetchInterval = useRefresh(query.window === "live" ? 3_000 : 30_000);
  return useQuery({
    queryKey: ["leaderboard", query],
    queryFn: ({ signal }) =>
      take<Board>(client.GET("/api/v1/leaderboard", { params: { query: { ...query, limit: 500 } }, signal })),
    refetchInterval: query.to ? false : refetchInterval,
    placeholderData: keepPreviousData,
  });
}

export function useApps() {
  return useQuery({
    queryKey: ["apps"],
    queryFn: ({ signal }) => take<{ items: App[] }>(client.GET("/api/v1/apps", { signal })),
    staleTime: 30_000,
  });
}
