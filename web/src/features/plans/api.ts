import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, intent, take, takeWithTag } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { PointState, Template } from "../../api/types";
import { clean, type PlanDoc } from "./document";
import type {
  Freeze,
  Plan,
  PlanDetail,
  PlanDryRun,
  PlanEntry,
  PlanTimeline,
  PlanWarLog,
  Rehearsal,
  RehearsalComparison,
  RehearsalDetail,
  RehearsalInput,
} from "./types";

const path = (plan: string) => ({ path: { plan } });
const asJSON = (doc: PlanDoc) => ({
  body: {} as never,
  bodySerializer: () => JSON.stringify(clean(doc)),
  headers: { "Content-Type": "application/json" },
});
const after = <T>(value: T): T => {
  touch("plans", "plan-timeline", "freezes", "claims", "points", "changes", "audit");
  return value;
};

export function usePlans() {
  return useQuery({
    queryKey: ["plans", "list"],
    queryFn: ({ signal }) =>
      all<Plan>((cursor) =>
        take<Page<Plan>>(client.GET("/api/v1/plans", { params: { query: { limit: 200, cursor } }, signal })),
      ),
    refetchInterval: useRefresh(5_000),
  });
}

export interface Timeline {
  entries: PlanEntry[];
  more: boolean;
}

/** Asks for whole minutes, so that a chart that moves with the clock does not ask anew each second. */
export function useTimeline(from: number, to: number) {
  const iso = (ms: number) => new Date(ms).toISOString();
  return useQuery({
    queryKey: ["plan-timeline", from, to],
    queryFn: async ({ signal }): Promise<Timeline> => {
      const line = await take<PlanTimeline>(
        client.GET("/api/v1/plan-timeline", {
          params: { query: { from: iso(from), to: iso(to) } },
          signal,
        }),
      );
      return {
        more: line.more,
        entries: line.items.map(({ plan, state, conflicts, ...step }) => ({ plan, state, step, conflicts })),
      };
    },
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh(5_000),
  });
}

export interface Seen extends PlanDetail {
  etag: string;
  /** What to add to the browser's clock to get reference time. */
  ahead: number;
}

export async function readPlan(name: string, signal?: AbortSignal): Promise<Seen> {
  const { data, etag } = await takeWithTag<PlanDetail>(
    client.GET("/api/v1/plans/{plan}", { params: path(name), signal }),
  );
  return { ...data, etag: etag || `"${data.version}"`, ahead: Date.parse(data.now) - Date.now() };
}

export function usePlan(name: string, every = 2_000) {
  return useQuery({
    queryKey: ["plans", "detail", name],
    queryFn: ({ signal }) => readPlan(name, signal),
    refetchInterval: useRefresh(every),
  });
}

/** What the server says about a document nobody saved. */
export function useDryRun(doc: PlanDoc | undefined, key: string) {
  return useQuery({
    queryKey: ["dry-run", key],
    enabled: doc !== undefined,
    staleTime: 10_000,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      take<PlanDryRun>(client.POST("/api/v1/plans/dry-run", { ...asJSON(doc!), signal })),
  });
}

export const create = (doc: PlanDoc, reason: string) =>
  take<PlanDetail>(
    client.POST("/api/v1/plans", {
      ...asJSON(doc),
      params: { header: { "Idempotency-Key": intent() }, query: { reason } },
    }),
  ).then(after);

export const update = (name: string, doc: PlanDoc, etag: string, reason: string) =>
  take<PlanDetail>(
    client.PUT("/api/v1/plans/{plan}", {
      ...asJSON(doc),
      params: { ...path(name), header: { "If-Match": etag }, query: { reason } },
    }),
  ).then(after);

export const remove = (name: string, etag: string, reason: string) =>
  take(
    client.DELETE("/api/v1/plans/{plan}", {
      params: { ...path(name), header: { "If-Match": etag }, query: { reason } },
    }),
  ).then(after);

export type Verb = "approve" | "hold" | "resume" | "stop";

export const act = (name: string, verb: Verb, reason: string) =>
  take<PlanDetail>(
    client.POST(`/api/v1/plans/{plan}/${verb}`, {
      params: { ...path(name), header: { "Idempotency-Key": intent() } },
      body: { reason },
    }),
  ).then(after);

export type StepVerb = "run" | "skip" | "extend";

export const actOnStep = (
  name: string,
  step: string,
  verb: StepVerb,
  body: { occurrence: string; reason: string; for?: string },
) =>
  take<PlanDetail>(
    client.POST(`/api/v1/plans/{plan}/steps/{step}/${verb}`, {
      params: { path: { plan: name, step }, header: { "Idempotency-Key": intent() } },
      body: body as never,
    }),
  ).then(after);

/** Where the browser fetches a file from. */
export const exportURL = (name: string, format: string) =>
  `/api/v1/plans/${encodeURIComponent(name)}/export?format=${format}`;

export function useProtectedScenes() {
  return useQuery({
    queryKey: ["freezes", "protected"],
    queryFn: async ({ signal }) =>
      (await take<Page<string>>(client.GET("/api/v1/protected-scenes", { signal }))).items ?? [],
    refetchInterval: useRefresh(15_000),
  });
}

export function useFreezes() {
  return useQuery({
    queryKey: ["freezes", "list"],
    queryFn: async ({ signal }) =>
      (await take<Page<Freeze>>(client.GET("/api/v1/freezes", { signal }))).items ?? [],
    refetchInterval: useRefresh(10_000),
  });
}

export const freeze = (body: { app: string; idc: string; from: string; until: string; reason: string }) =>
  take(client.POST("/api/v1/freezes", { params: { header: { "Idempotency-Key": intent() } }, body })).then(
    after,
  );

export const lift = (id: string, reason: string) =>
  take(
    client.DELETE("/api/v1/freezes/{freeze}", { params: { path: { freeze: id }, query: { reason } } }),
  ).then(after);

export const protect = (scene: string, on: boolean, reason: string) => {
  const params = { path: { scene }, query: { reason } };
  return take(
    on
      ? client.PUT("/api/v1/protected-scenes/{scene}", { params })
      : client.DELETE("/api/v1/protected-scenes/{scene}", { params }),
  ).then(after);
};

/** Names an author may mean: places from the live points, templates with their newest version. */
export function useKnown() {
  const points = useQuery({
    queryKey: ["points", "list"],
    queryFn: ({ signal }) =>
      all<PointState>((cursor) =>
        take<Page<PointState>>(
          client.GET("/api/v1/points", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      ),
  });
  const templates = useQuery({
    queryKey: ["templates", "list"],
    queryFn: ({ signal }) =>
      all<Template>((cursor) =>
        take<Page<Template>>(
          client.GET("/api/v1/templates", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      ),
  });
  return { points: points.data ?? [], templates: templates.data ?? [] };
}

export function useWarLog(plan: string) {
  return useQuery({
    queryKey: ["plans", "log", plan],
    queryFn: ({ signal }) =>
      take<PlanWarLog>(client.GET("/api/v1/plans/{plan}/war-log", { params: path(plan), signal })),
    refetchInterval: useRefresh(5_000),
  });
}

export function useRehearsals(plan: string) {
  const refresh = useRefresh(15_000);
  return useQuery({
    queryKey: ["plans", "rehearsals", plan],
    queryFn: async ({ signal }) =>
      (
        await take<Page<Rehearsal>>(
          client.GET("/api/v1/plans/{plan}/rehearsals", { params: path(plan), signal }),
        )
      ).items ?? [],
    // One that runs is asked after every second.
    refetchInterval: (q) => (q.state.data?.some((r) => r.state === "running") ? 1_000 : refresh),
  });
}

/** The whole of a rehearsal; asked once it is done, for it does not change any more. */
export function useRehearsal(plan: string, rehearsal: Rehearsal | undefined) {
  return useQuery({
    queryKey: ["rehearsal", plan, rehearsal?.id],
    enabled: rehearsal?.state === "done",
    staleTime: Infinity,
    queryFn: ({ signal }) =>
      take<RehearsalDetail>(
        client.GET("/api/v1/plans/{plan}/rehearsals/{rehearsal}", {
          params: { path: { plan, rehearsal: rehearsal!.id } },
          signal,
        }),
      ),
  });
}

export function useComparison(plan: string, rehearsal: Rehearsal | undefined) {
  return useQuery({
    queryKey: ["plans", "comparison", plan, rehearsal?.id],
    enabled: rehearsal?.state === "done",
    refetchInterval: useRefresh(15_000),
    queryFn: ({ signal }) =>
      take<RehearsalComparison>(
        client.GET("/api/v1/plans/{plan}/rehearsals/{rehearsal}/comparison", {
          params: { path: { plan, rehearsal: rehearsal!.id } },
          signal,
        }),
      ),
  });
}

export const rehearse = (plan: string, body: RehearsalInput) =>
  take<Rehearsal>(
    client.POST("/api/v1/plans/{plan}/rehearsals", {
      params: { ...path(plan), header: { "Idempotency-Key": intent() } },
      body,
    }),
  ).then(after);
