import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { queryClient, touch, useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { App, PointState, Selector } from "../../api/types";
import type {
  QuotaCalibration,
  QuotaGroup,
  QuotaGroupInput,
  QuotaHistory,
  QuotaSettings,
  QuotaSimulation,
  QuotaState,
} from "./types";

/** An answer and the server's time of it: staleness must not depend on this computer's clock. */
export interface Timed<T> {
  data: T;
  now: number;
}

export function useGroups() {
  return useQuery({
    queryKey: ["quota", "list"],
    queryFn: ({ signal }) =>
      all<QuotaState>((cursor) =>
        take<Page<QuotaState>>(
          client.GET("/api/v1/quota-groups", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      ),
    refetchInterval: useRefresh(2_000),
  });
}

const path = (group: string) => ({ path: { group } });

export function useGroup(group: string) {
  return useQuery({
    queryKey: ["quota", "one", group],
    queryFn: async ({ signal }): Promise<Timed<QuotaState>> => {
      const call = client.GET("/api/v1/quota-groups/{group}", { params: path(group), signal });
      const data = await take<QuotaState>(call);
      const date = Date.parse((await call).response.headers.get("Date") ?? "");
      return { data, now: Number.isNaN(date) ? Date.now() : date };
    },
    refetchInterval: useRefresh(1_000),
  });
}

/** minutes of history; none: the last ten minutes by seconds. */
export function useHistory(group: string, minutes: number | undefined) {
  return useQuery({
    queryKey: ["quota", "history", group, minutes ?? "seconds"],
    queryFn: ({ signal }) => {
      const to = new Date();
      const span = minutes && {
        from: new Date(to.getTime() - minutes * 60_000).toISOString(),
        to: to.toISOString(),
      };
      return take<QuotaHistory>(
        client.GET("/api/v1/quota-groups/{group}/history", {
          params: { ...path(group), query: { step: minutes ? "minute" : "second", ...span } },
          signal,
        }),
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh(minutes ? 15_000 : 2_000),
  });
}

export function useCalibration(group: string) {
  return useQuery({
    queryKey: ["quota", "calibration", group],
    queryFn: ({ signal }) =>
      take<QuotaCalibration>(
        client.GET("/api/v1/quota-groups/{group}/calibration", { params: path(group), signal }),
      ),
    refetchInterval: useRefresh(15_000),
  });
}

/** The same traffic under the settings in force and under those tried. Asked once a proposal, never by itself. */
export function useSimulation(
  group: string,
  settings: QuotaSettings | undefined,
  arrivals: number[] | undefined,
  round: number,
) {
  return useQuery({
    queryKey: ["simulation", group, settings, arrivals, round],
    enabled: settings !== undefined,
    retry: false,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      take<QuotaSimulation>(
        client.POST("/api/v1/quota-groups/{group}/simulate", {
          params: path(group),
          body: { settings: settings!, ...(arrivals && { arrivals }) },
          signal,
        }),
      ),
  });
}

const covers = (wish: string, own: string) => wish === "*" || wish === own;

/** The points that the members select. */
export function usePlaces(members: Selector[]) {
  return useQuery({
    queryKey: ["points", "quota", members],
    queryFn: async ({ signal }) => {
      const points = await all<PointState>((cursor) =>
        take<Page<PointState>>(
          client.GET("/api/v1/points", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      );
      return points.filter((p) =>
        members.some(
          (m) =>
            covers(m.scene, p.scene) &&
            covers(m.idc, p.idc) &&
            covers(m.app, p.app) &&
            covers(m.point, p.point),
        ),
      );
    },
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh(5_000),
  });
}

export function useApps() {
  return useQuery({
    queryKey: ["apps"],
    queryFn: ({ signal }) => take<Page<App>>(client.GET("/api/v1/apps", { signal })),
    staleTime: 30_000,
  });
}

const after = <T>(v: T): T => {
  touch("quota", "simulation", "audit");
  return v;
};

export const createGroup = (body: QuotaGroupInput) =>
  take<QuotaGroup>(
    client.POST("/api/v1/quota-groups", { params: { header: { "Idempotency-Key": intent() } }, body }),
  ).then(after);

export const saveGroup = (version: number, body: QuotaGroupInput, group: string) =>
  take<QuotaGroup>(
    client.PUT("/api/v1/quota-groups/{group}", {
      params: { ...path(group), header: { "If-Match": `"${version}"` } },
      body,
    }),
  ).then((g) => {
    // What was saved shows at once; how it stands follows with the next answer.
    queryClient.setQueryData<Timed<QuotaState>>(
      ["quota", "one", group],
      (old) => old && { ...old, data: { ...old.data, ...g } },
    );
    return after(g);
  });

export const deleteGroup = (g: QuotaGroup, reason: string) =>
  take(
    client.DELETE("/api/v1/quota-groups/{group}", {
      params: { ...path(g.name), header: { "If-Match": `"${g.version}"` }, query: { reason } },
    }),
  ).then(after);
