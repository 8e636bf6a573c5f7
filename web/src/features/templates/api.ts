import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, intent, take, takeWithTag } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { Check, Diff, Template, TemplateDetail, TemplateVersion, Usage } from "../../api/types";
import { toJSON, type Doc } from "./document";

const path = (template: string) => ({ path: { template } });
const write = (etag: string) => ({ "If-Match": etag, "Idempotency-Key": intent() });
// The document is written by our own serialiser: numbers keep the author's text.
const asJSON = (doc: Doc) => ({
  body: {} as never,
  bodySerializer: () => toJSON(doc),
  headers: { "Content-Type": "application/json" },
});
const after = <T>(value: T): T => {
  touch("templates", "bindings", "changes", "points", "audit");
  return value;
};

export function useTemplates() {
  const refetchInterval = useRefresh(15_000);
  return useQuery({
    queryKey: ["templates", "list"],
    queryFn: ({ signal }) =>
      all<Template>((cursor) =>
        take<Page<Template>>(
          client.GET("/api/v1/templates", { params: { query: { limit: 200, cursor } }, signal }),
        ),
      ),
    refetchInterval,
  });
}

export function useTemplate(name: string) {
  return useQuery({
    queryKey: ["templates", "detail", name],
    queryFn: async ({ signal }) => {
      const { data, etag } = await takeWithTag<TemplateDetail>(
        client.GET("/api/v1/templates/{template}", { params: path(name), signal }),
      );
      return { ...data, etag: etag || `"${data.version}"` };
    },
  });
}

export function useVersions(name: string) {
  return useQuery({
    queryKey: ["templates", "versions", name],
    queryFn: ({ signal }) =>
      take<Page<TemplateVersion>>(
        client.GET("/api/v1/templates/{template}/versions", { params: path(name), signal }),
      ),
  });
}

export function useUsage(name: string) {
  return useQuery({
    queryKey: ["templates", "usage", name],
    queryFn: ({ signal }) =>
      take<Usage>(client.GET("/api/v1/templates/{template}/usage", { params: path(name), signal })),
  });
}

export function useDiff(name: string, from: string, to: string) {
  return useQuery({
    queryKey: ["templates", "diff", name, from, to],
    queryFn: ({ signal }) =>
      take<Diff>(
        client.GET("/api/v1/templates/{template}/diff", {
          params: { ...path(name), query: { from, to } },
          signal,
        }),
      ),
  });
}

/** What the server says about a document nobody saved: problems, warnings, and builds that would refuse. */
export function useServerCheck(doc: Doc | undefined, key: string) {
  return useQuery({
    queryKey: ["check", key],
    enabled: doc !== undefined,
    staleTime: 10_000,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) => take<Check>(client.POST("/api/v1/templates/check", { ...asJSON(doc!), signal })),
  });
}

export const create = (doc: Doc) =>
  take<TemplateDetail>(
    client.POST("/api/v1/templates", { ...asJSON(doc), params: { header: { "Idempotency-Key": intent() } } }),
  ).then(after);

export const saveDraft = (name: string, doc: Doc, etag: string, force: boolean) =>
  take<TemplateDetail>(
    client.PUT("/api/v1/templates/{template}/draft", {
      ...asJSON(doc),
      params: { ...path(name), header: { "If-Match": etag }, query: { force } },
    }),
  ).then(after);

export const dropDraft = (name: string, etag: string) =>
  take<TemplateDetail>(
    client.DELETE("/api/v1/templates/{template}/draft", {
      params: { ...path(name), header: { "If-Match": etag } },
    }),
  ).then(after);

export const publish = (name: string, etag: string, reason: string, force: boolean) =>
  take(
    client.POST("/api/v1/templates/{template}/publish", {
      params: { ...path(name), header: write(etag) },
      body: { reason, force },
    }),
  ).then(after);

export const rollBack = (name: string, etag: string, version: number, reason: string, force: boolean) =>
  take(
    client.POST("/api/v1/templates/{template}/rollback", {
      params: { ...path(name), header: write(etag) },
      body: { version, reason, force },
    }),
  ).then(after);

export const copy = (name: string, to: string, reason: string) =>
  take<TemplateDetail>(
    client.POST("/api/v1/templates/{template}/copy", {
      params: { ...path(name), header: { "Idempotency-Key": intent() } },
      body: { name: to, reason },
    }),
  ).then(after);

export const remove = (name: string, etag: string) =>
  take(
    client.DELETE("/api/v1/templates/{template}", {
      params: { ...path(name), header: { "If-Match": etag } },
    }),
  ).then(after);
