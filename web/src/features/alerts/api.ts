import { keepPreviousData, useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import type { Page } from "../../api/rollout";
import type { Schemas } from "../../api/types";

export type Alert = Schemas["Alert"];
export type AlertDetail = Schemas["AlertDetail"];
export type Delivery = Schemas["AlertDelivery"];
export type Silence = Schemas["AlertSilence"];
export type SilenceInput = Schemas["AlertSilenceInput"];
export type Rule = Schemas["AlertRule"];
export type RuleInput = Schemas["AlertRuleInput"];
export type Sink = Schemas["AlertSink"];
export type SinkInput = Schemas["AlertSinkInput"];

export const kinds = [
  "bad_machine",
  "bad_release",
  "capacity",
  "input_shift",
  "input_silent",
  "agent_refused",
  "agent_stale",
  "plan_missed",
  "quota_fallback",
] as const;

export const sinkKinds = ["webhook", "alertmanager", "dingtalk", "feishu", "slack"] as const;

export interface Filter {
  state: "open" | "all";
  kind?: string;
  app?: string;
  idc?: string;
  search?: string;
}

const query = (f: Filter) =>
  Object.fromEntries(Object.entries(f).filter(([, v]) => v)) as Filter & Record<string, string>;

export function useAlerts(filter: Filter) {
  return useInfiniteQuery({
    queryKey: ["alerts", "list", filter],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ signal, pageParam }) =>
      take<Page<Alert>>(
        client.GET("/api/v1/alerts", {
          params: { query: { ...query(filter), limit: 100, cursor: pageParam } },
          signal,
        }),
      ),
    getNextPageParam: (p) => p.next_cursor || undefined,
    placeholderData: keepPreviousData,
    refetchInterval: useRefresh(10_000),
  });
}

/** Alerts that stand and that nobody looks after: what the badge counts. */
export function useOpenAlerts() {
  return useQuery({
    queryKey: ["alerts", "open"],
    queryFn: ({ signal }) =>
      take<Page<Alert>>(
        client.GET("/api/v1/alerts", { params: { query: { state: "open", limit: 100 } }, signal }),
      ),
    refetchInterval: useRefresh(15_000),
  });
}

export function useAlert(id: string) {
  return useQuery({
    queryKey: ["alerts", "one", id],
    queryFn: ({ signal }) =>
      take<AlertDetail>(client.GET("/api/v1/alerts/{alert}", { params: { path: { alert: id } }, signal })),
    refetchInterval: useRefresh(5_000),
  });
}

export function useSilences() {
  return useQuery({
    queryKey: ["alerts", "silences"],
    queryFn: ({ signal }) => take<Page<Silence>>(client.GET("/api/v1/alert-silences", { signal })),
    refetchInterval: useRefresh(15_000),
  });
}

export function useRules() {
  return useQuery({
    queryKey: ["alerts", "rules"],
    queryFn: ({ signal }) => take<Page<Rule>>(client.GET("/api/v1/alert-rules", { signal })),
    refetchInterval: useRefresh(30_000),
  });
}

export function useSinks() {
  return useQuery({
    queryKey: ["alerts", "sinks"],
    queryFn: ({ signal }) => take<Page<Sink>>(client.GET("/api/v1/alert-sinks", { signal })),
    refetchInterval: useRefresh(10_000),
  });
}

export function useAppNames() {
  return useQuery({
    queryKey: ["apps"],
    queryFn: ({ signal }) => take<Page<Schemas["App"]>>(client.GET("/api/v1/apps", { signal })),
    staleTime: 30_000,
  });
}

const after = <T>(v: T): T => {
  touch("alerts", "audit");
  return v;
};

const once = () => ({ "Idempotency-Key": intent() });

export const ack = (id: string, note: string) =>
  take<Alert>(
    client.POST("/api/v1/alerts/{alert}/ack", {
      params: { path: { alert: id }, header: once() },
      body: { note },
    }),
  ).then(after);

export const silence = (body: SilenceInput) =>
  take<Silence>(client.POST("/api/v1/alert-silences", { params: { header: once() }, body })).then(after);

export const endSilence = (id: string, reason: string) =>
  take<Silence>(
    client.POST("/api/v1/alert-silences/{silence}/end", {
      params: { path: { silence: id }, header: once() },
      body: { reason },
    }),
  ).then(after);

export const saveRule = (r: Rule, body: RuleInput) =>
  take<Rule>(
    client.PUT("/api/v1/alert-rules/{kind}", {
      params: { path: { kind: r.kind }, header: { "If-Match": `"${r.version}"` } },
      body,
    }),
  ).then(after);

export const saveSink = (old: Sink | undefined, body: SinkInput) =>
  (old
    ? take<Sink>(
        client.PUT("/api/v1/alert-sinks/{sink}", {
          params: { path: { sink: old.id }, header: { "If-Match": `"${old.version}"` } },
          body,
        }),
      )
    : take<Sink>(client.POST("/api/v1/alert-sinks", { params: { header: once() }, body }))
  ).then(after);

export const deleteSink = (s: Sink, reason: string) =>
  take(
    client.DELETE("/api/v1/alert-sinks/{sink}", {
      params: { path: { sink: s.id }, header: { "If-Match": `"${s.version}"` }, query: { reason } },
    }),
  ).then(after);

export const testSink = (s: Sink) =>
  take<Schemas["AlertSinkTest"]>(
    client.POST("/api/v1/alert-sinks/{sink}/test", { params: { path: { sink: s.id } } }),
  );
