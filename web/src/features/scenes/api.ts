import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, take, takeWithTag } from "../../api/client";
import { queryClient, useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type {
  Allocation,
  AllocationComparison,
  AllocationTable,
  Scene,
  SceneGraph,
  SceneLive,
} from "./types";

export function useScenes() {
  return useQuery({
    queryKey: ["scenes", "list"],
    queryFn: ({ signal }) =>
      all<Scene>((cursor) =>
        take<Page<Scene>>(
          client.GET("/api/v1/scenes", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      ),
    refetchInterval: useRefresh(10_000),
  });
}

export interface Tagged {
  scene: Scene;
  etag: string;
}

export function useScene(scene: string) {
  return useQuery({
    queryKey: ["scenes", "one", scene],
    queryFn: async ({ signal }): Promise<Tagged> => {
      const x = await takeWithTag<Scene>(
        client.GET("/api/v1/scenes/{scene}", { params: { path: { scene } }, signal }),
      );
      return { scene: x.data, etag: x.etag };
    },
    refetchInterval: useRefresh(10_000),
  });
}

export function useSceneLive(scene: string) {
  return useQuery({
    queryKey: ["scenes", "live", scene],
    queryFn: ({ signal }) =>
      take<SceneLive>(client.GET("/api/v1/scenes/{scene}/live", { params: { path: { scene } }, signal })),
    refetchInterval: useRefresh(1_000),
    placeholderData: keepPreviousData,
  });
}

/** The links now, or as they were in a past minute: that one never changes. */
export function useSceneAt(scene: string, at: string | undefined) {
  const refetchInterval = useRefresh(1_000);
  return useQuery({
    queryKey: ["scenes", "live", scene, ...(at ? [at] : [])],
    queryFn: ({ signal }) =>
      take<SceneLive>(
        client.GET("/api/v1/scenes/{scene}/live", { params: { path: { scene }, query: { at } }, signal }),
      ),
    refetchInterval: at ? false : refetchInterval,
    placeholderData: keepPreviousData,
  });
}

export function useAllocations(scene: string) {
  return useQuery({
    queryKey: ["scenes", "allocations", scene],
    queryFn: ({ signal }) =>
      take<Page<Allocation>>(
        client.GET("/api/v1/scenes/{scene}/allocations", { params: { path: { scene } }, signal }),
      ),
    refetchInterval: useRefresh(10_000),
  });
}

export function useAllocation(scene: string, number: number) {
  return useQuery({
    queryKey: ["scenes", "allocation", scene, number],
    queryFn: ({ signal }) =>
      take<AllocationTable>(
        client.GET("/api/v1/scenes/{scene}/allocations/{number}", {
          params: { path: { scene, number } },
          signal,
        }),
      ),
    placeholderData: keepPreviousData,
  });
}

export function useComparison(scene: string, from: number, to: number) {
  return useQuery({
    queryKey: ["scenes", "comparison", scene, from, to],
    enabled: from > 0 && to > 0 && from !== to,
    queryFn: ({ signal }) =>
      take<AllocationComparison>(
        client.GET("/api/v1/scenes/{scene}/allocation-comparison", {
          params: { path: { scene }, query: { from, to } },
          signal,
        }),
      ),
  });
}

const refresh = () => queryClient.invalidateQueries({ queryKey: ["scenes"] });

export async function setTarget(scene: string, etag: string, target: string, reason: string) {
  await take(
    client.PUT("/api/v1/scenes/{scene}/target", {
      params: { path: { scene }, header: { "If-Match": etag } },
      body: { target, reason },
    }),
  );
  await refresh();
}

export async function saveGraph(tagged: Tagged, graph: SceneGraph, reason: string) {
  const { scene, etag } = tagged;
  await take(
    client.PUT("/api/v1/scenes/{scene}", {
      params: { path: { scene: scene.name }, header: { "If-Match": etag } },
      body: {
        name: scene.name,
        description: scene.description,
        target: scene.target,
        statistic: scene.statistic,
        timeout: scene.timeout,
        max_timeouts: scene.max_timeouts,
        ladder: scene.ladder,
        from: scene.from,
        to: scene.to,
        front: scene.front,
        feedback_alone: scene.feedback_alone,
        graph,
        reason,
      },
    }),
  );
  await refresh();
}

export async function rebuild(scene: string, reason: string) {
  await take(
    client.POST("/api/v1/scenes/{scene}/allocations", { params: { path: { scene } }, body: { reason } }),
  );
  await refresh();
}
