import { useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { Agent } from "../../api/types";

export function useAgents() {
  return useQuery({
    queryKey: ["agents", "list"],
    queryFn: ({ signal }) =>
      all<Agent>((cursor) =>
        take<Page<Agent>>(
          client.GET("/api/v1/agents", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      ),
    refetchInterval: useRefresh(5_000),
  });
}

export function useAgent(instance: string) {
  return useQuery({
    queryKey: ["agents", "one", instance],
    queryFn: ({ signal }) =>
      take<Agent>(client.GET("/api/v1/agents/{instance}", { params: { path: { instance } }, signal })),
    refetchInterval: useRefresh(3_000),
  });
}

const after = <T>(v: T): T => {
  touch("agents", "status");
  return v;
};
const params = (instance: string) => ({ path: { instance }, header: { "Idempotency-Key": intent() } });

export const ban = (instance: string, reason: string) =>
  take(client.POST("/api/v1/agents/{instance}/ban", { params: params(instance), body: { reason } })).then(
    after,
  );

export const unban = (instance: string, reason: string) =>
  take(client.POST("/api/v1/agents/{instance}/unban", { params: params(instance), body: { reason } })).then(
    after,
  );
