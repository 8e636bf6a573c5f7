import { useQuery } from "@tanstack/react-query";
import { client, intent, take } from "./client";
import { touch, useRefresh } from "./live";
import type { Page } from "./rollout";
import type { Schemas } from "./types";

export type Glass = Schemas["Glass"];

export function useGlasses(every = 5_000) {
  return useQuery({
    queryKey: ["freezes", "glass"],
    queryFn: async ({ signal }) =>
      (await take<Page<Glass>>(client.GET("/api/v1/break-glass", { signal }))).items ?? [],
    refetchInterval: useRefresh(every),
  });
}

export const askGlass = (reason: string, length: string) =>
  take<Glass>(
    client.POST("/api/v1/break-glass", {
      params: { header: { "Idempotency-Key": intent() } },
      body: { reason, for: length },
    }),
  ).then((g) => {
    touch("freezes");
    return g;
  });

export const approveGlass = (id: string, reason: string) =>
  take<Glass>(
    client.POST("/api/v1/break-glass/{glass}/approve", {
      params: { path: { glass: id }, header: { "Idempotency-Key": intent() } },
      body: { reason },
    }),
  ).then((g) => {
    touch("freezes");
    return g;
  });
