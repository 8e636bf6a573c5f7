import { useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import type { Page } from "../../api/rollout";
import type { App, Schemas } from "../../api/types";

export type Experiment = Schemas["Experiment"];
export type ExperimentInput = Schemas["ExperimentInput"];
export type Arm = Schemas["ExperimentArm"];
export type Result = Schemas["ExperimentResult"];
export type ArmResult = Schemas["ExperimentArmResult"];
export type Lift = Schemas["ExperimentLift"];
export type Interval = Schemas["ExperimentInterval"];
export type Figures = Schemas["ExperimentFigures"];

const path = (experiment: string) => ({ path: { experiment } });

export function useExperiments() {
  return useQuery({
    queryKey: ["experiments", "list"],
    queryFn: ({ signal }) => take<Page<Experiment>>(client.GET("/api/v1/experiments", { signal })),
    refetchInterval: useRefresh(10_000),
  });
}

export function useExperiment(name: string) {
  return useQuery({
    queryKey: ["experiments", "one", name],
    queryFn: ({ signal }) =>
      take<Experiment>(client.GET("/api/v1/experiments/{experiment}", { params: path(name), signal })),
    refetchInterval: useRefresh(5_000),
  });
}

export function useResult(name: string, live: boolean) {
  const every = useRefresh(5_000);
  return useQuery({
    queryKey: ["experiments", "result", name, live],
    queryFn: ({ signal }) =>
      take<Result>(client.GET("/api/v1/experiments/{experiment}/result", { params: path(name), signal })),
    refetchInterval: live && every,
  });
}

/** What may be chosen as scope and place of measurement. */
export function useApps() {
  return useQuery({
    queryKey: ["apps"],
    queryFn: ({ signal }) => take<Page<App>>(client.GET("/api/v1/apps", { signal })),
    staleTime: 30_000,
  });
}

const after = <T>(v: T): T => {
  touch("experiments", "claims", "points", "audit");
  return v;
};

export const create = (body: ExperimentInput) =>
  take<Experiment>(
    client.POST("/api/v1/experiments", { params: { header: { "Idempotency-Key": intent() } }, body }),
  ).then(after);

/** Replaces a draft, if it is still at the version that was read. */
export const save = (x: Experiment, version: number, body: ExperimentInput) =>
  take<Experiment>(
    client.PUT("/api/v1/experiments/{experiment}", {
      params: { ...path(x.id), header: { "If-Match": `"${version}"` } },
      body,
    }),
  ).then(after);

export const start = (name: string, reason: string) =>
  take<Experiment>(
    client.POST("/api/v1/experiments/{experiment}/start", {
      params: { ...path(name), header: { "Idempotency-Key": intent() } },
      body: { reason },
    }),
  ).then(after);

export const stop = (name: string, reason: string) =>
  take<Experiment>(
    client.POST("/api/v1/experiments/{experiment}/stop", {
      params: { ...path(name), header: { "Idempotency-Key": intent() } },
      body: { reason },
    }),
  ).then(after);

export const remove = (x: Experiment, reason: string) =>
  take(
    client.DELETE("/api/v1/experiments/{experiment}", {
      params: { ...path(x.id), header: { "If-Match": `"${x.version}"` }, query: { reason } },
    }),
  ).then(after);
