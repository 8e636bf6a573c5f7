import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, take, takeWithTag } from "../../api/client";
import { useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { App } from "../../api/types";
import type {
  Allocation,
  AllocationComparison,
  AllocationTable,
  Judgement,
  Profile,
  ProfileUpload,
  Scene,
  SceneDraft,
  SceneHistory,
  SceneInput,
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
    enabled: number > 0,
    staleTime: Infinity, // a table never changes
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

/** The row that a target gets of the newest table; nothing where there is no table. */
export function useRow(scene: string, target: number | undefined) {
  return useQuery({
    queryKey: ["scenes", "row", scene, target],
    enabled: target !== undefined && target >= 1 && target <= 60_000,
    retry: false,
    queryFn: ({ signal }) =>
      take<AllocationTable>(
        client.GET("/api/v1/scenes/{scene}/allocations/{number}", {
          params: { path: { scene, number: 0 }, query: { target } },
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

/** What agents reported of a scene's requests, as a graph; asked for again every ten seconds while it is looked at. */
export function useDraft(scene: string) {
  return useQuery({
    queryKey: ["scenes", "draft", scene],
    queryFn: ({ signal }) =>
      take<SceneDraft>(client.POST("/api/v1/scenes/draft", { body: { scene }, signal })),
    gcTime: 0,
  });
}

/** What the server thinks of a scene that is being written; nothing is asked while there is no document. */
export function useSceneCheck(input: SceneInput | undefined) {
  return useQuery({
    queryKey: ["scene-check", input],
    enabled: input !== undefined,
    queryFn: ({ signal }) => take<Judgement>(client.POST("/api/v1/scenes/check", { body: input!, signal })),
    placeholderData: keepPreviousData,
    staleTime: 30_000,
    gcTime: 60_000,
  });
}

/** The points that registered builds declare. */
export function useDeclared() {
  return useQuery({
    queryKey: ["apps"],
    queryFn: ({ signal }) => take<Page<App>>(client.GET("/api/v1/apps", { signal })),
    staleTime: 30_000,
    select: (page) =>
      page.items.flatMap((a) =>
        (a.points ?? []).map((p) => ({ app: a.name, point: p.name, external: p.external })),
      ),
  });
}

export function useVersions(scene: string) {
  return useQuery({
    queryKey: ["scenes", "versions", scene],
    queryFn: ({ signal }) =>
      take<Page<Scene>>(
        client.GET("/api/v1/scenes/{scene}/versions", { params: { path: { scene } }, signal }),
      ),
  });
}

/** The profiles of some apps, without their levels. */
export function useProfiles(apps: string[]) {
  return useQuery({
    queryKey: ["profiles", "list", ...apps],
    queryFn: async ({ signal }) => {
      const lists = await Promise.all(
        apps.map((app) =>
          all<Profile>((cursor) =>
            take<Page<Profile>>(
              client.GET("/api/v1/profiles", { params: { query: { app, limit: 200, cursor } }, signal }),
            ),
          ),
        ),
      );
      return lists.flat();
    },
    refetchInterval: useRefresh(15_000),
    placeholderData: keepPreviousData,
  });
}

export function useProfile(id: string) {
  return useQuery({
    queryKey: ["profiles", "one", id],
    queryFn: ({ signal }) =>
      take<Profile>(client.GET("/api/v1/profiles/{profile}", { params: { path: { profile: id } }, signal })),
  });
}

/** What the server thinks of a document that is not uploaded yet. */
export function useProfileCheck(upload: ProfileUpload | undefined) {
  return useQuery({
    queryKey: ["profile-check", upload],
    enabled: upload !== undefined,
    queryFn: ({ signal }) =>
      take<Judgement>(client.POST("/api/v1/profiles/check", { body: upload!, signal })),
    placeholderData: keepPreviousData,
    gcTime: 0,
  });
}

/** The series, by minute, of a scene's points and of its front in an IDC. */
export function useSceneHistory(scene: string, idc: string, minutes: number) {
  return useQuery({
    queryKey: ["history", "scene", scene, idc, minutes],
    queryFn: ({ signal }) =>
      take<SceneHistory>(
        client.GET("/api/v1/scenes/{scene}/history", {
          params: {
            path: { scene },
            query: { idc, from: new Date(Date.now() - minutes * 60_000).toISOString(), step: "minute" },
          },
          signal,
        }),
      ),
    refetchInterval: useRefresh(60_000),
    placeholderData: keepPreviousData,
  });
}
