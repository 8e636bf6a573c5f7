import { useQuery } from "@tanstack/react-query";
import { useEffect } from "react";
import { client, intent, take } from "../../api/client";
import { queryClient, touch, useRefresh, watch } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type {
  Claim,
  ClaimInput,
  Explanation,
  History,
  PointAgent,
  PointKey,
  PointState,
} from "../../api/types";
import { idOf, merge, statesOf } from "./key";

/** Writes the rows of "point" events straight into the cache. */
export function usePointEvents() {
  useEffect(
    () =>
      watch((event, data) => {
        if (event !== "point") return;
        const news = statesOf(data);
        queryClient.setQueryData<PointState[]>(["points", "list"], (rows) => rows && merge(rows, news));
        for (const p of news)
          queryClient.setQueryData<PointState>(["points", "one", idOf(p)], (old) => old && { ...old, ...p });
      }),
    [],
  );
}

/** All points the caller may see. */
export function usePoints() {
  usePointEvents();
  return useQuery({
    queryKey: ["points", "list"],
    queryFn: ({ signal }) =>
      all<PointState>((cursor) =>
        take<Page<PointState>>(
          client.GET("/api/v1/points", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      ),
    refetchInterval: useRefresh(3_000),
  });
}

const params = (key: PointKey) => ({
  path: { scene: key.scene, idc: key.idc, app: key.app, point: key.point },
});

export function usePoint(key: PointKey) {
  return useQuery({
    queryKey: ["points", "one", idOf(key)],
    queryFn: ({ signal }) =>
      take<PointState>(
        client.GET("/api/v1/points/{scene}/{idc}/{app}/{point}", { params: params(key), signal }),
      ),
    refetchInterval: useRefresh(1_000),
  });
}

export function usePointAgents(key: PointKey) {
  return useQuery({
    queryKey: ["points", "agents", idOf(key)],
    queryFn: ({ signal }) =>
      take<Page<PointAgent>>(
        client.GET("/api/v1/points/{scene}/{idc}/{app}/{point}/agents", { params: params(key), signal }),
      ),
    refetchInterval: useRefresh(3_000),
  });
}

export function useExplain(key: PointKey, at: string | undefined) {
  const refetchInterval = useRefresh(5_000);
  return useQuery({
    queryKey: ["explain", idOf(key), at ?? "now"],
    queryFn: ({ signal }) =>
      take<Explanation>(
        client.GET("/api/v1/points/{scene}/{idc}/{app}/{point}/explain", {
          params: { ...params(key), query: { at } },
          signal,
        }),
      ),
    refetchInterval: at ? false : refetchInterval,
  });
}

export function useHistory(key: PointKey, minutes: number, end: string | undefined) {
  const refetchInterval = useRefresh(15_000);
  return useQuery({
    queryKey: ["history", idOf(key), minutes, end ?? "now"],
    queryFn: ({ signal }) => {
      const to = end ? new Date(end) : new Date();
      const from = new Date(to.getTime() - minutes * 60_000);
      return take<History>(
        client.GET("/api/v1/history", {
          params: { query: { ...key, from: from.toISOString(), to: to.toISOString() } },
          signal,
        }),
      );
    },
    refetchInterval: end ? false : refetchInterval,
  });
}

/** Manual claims that cover the point, wildcards included, newest first. */
export function usePointClaims(key: PointKey) {
  return useQuery({
    queryKey: ["claims", idOf(key)],
    queryFn: async ({ signal }) => {
      const claims = await all<Claim>((cursor) =>
        take<Page<Claim>>(
          client.GET("/api/v1/claims", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      );
      const covers = (wish: string, own: string) => wish === "*" || wish === own;
      return claims.filter(
        (c) =>
          c.source === "manual" &&
          covers(c.scope.scene, key.scene) &&
          covers(c.scope.idc, key.idc) &&
          covers(c.scope.app, key.app) &&
          covers(c.scope.point, key.point),
      );
    },
    refetchInterval: useRefresh(10_000),
  });
}

const after = <T>(v: T): T => {
  touch("claims", "points", "explain", "changes", "history");
  return v;
};
const once = () => ({ "Idempotency-Key": intent() });

export const setClaim = (body: ClaimInput) =>
  take<Claim>(client.POST("/api/v1/claims", { params: { header: once() }, body })).then(after);

export const extendClaim = (claim: string, duration: string, reason: string) =>
  take<Claim>(
    client.POST("/api/v1/claims/{claim}/extend", {
      params: { path: { claim }, header: once() },
      body: { for: duration, reason },
    }),
  ).then(after);

export const releaseClaim = (claim: string, reason: string) =>
  take<Claim>(
    client.POST("/api/v1/claims/{claim}/release", {
      params: { path: { claim }, header: once() },
      body: { reason },
    }),
  ).then(after);

export const undoClaim = (claim: string, reason: string) =>
  take<Claim>(
    client.POST("/api/v1/claims/{claim}/undo", {
      params: { path: { claim }, header: once() },
      body: { reason },
    }),
  ).then(after);
