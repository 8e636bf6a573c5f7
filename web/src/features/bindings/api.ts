import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { client, intent, take } from "../../api/client";
import { touch, useRefresh } from "../../api/live";
import { all, type Page } from "../../api/rollout";
import type { App, Binding, BindingInput, Preview, Template } from "../../api/types";

export function useBindings() {
  return useQuery({
    queryKey: ["bindings", "list"],
    queryFn: ({ signal }) =>
      all<Binding>((cursor) =>
        take<Page<Binding>>(
          client.GET("/api/v1/bindings", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      ),
    refetchInterval: useRefresh(15_000),
  });
}

export function useTemplateNames() {
  return useQuery({
    queryKey: ["templates", "names"],
    queryFn: async ({ signal }) => {
      const items = await all<Template>((cursor) =>
        take<Page<Template>>(
          client.GET("/api/v1/templates", { params: { query: { limit: 500, cursor } }, signal }),
        ),
      );
      return items.map((t) => ({ name: t.name, latest: t.latest }));
    },
  });
}

export function useApps() {
  return useQuery({
    queryKey: ["apps"],
    queryFn: ({ signal }) => take<Page<App>>(client.GET("/api/v1/apps", { signal })),
    staleTime: 30_000,
  });
}

export interface Proposal {
  id?: string;
  delete?: boolean;
  put?: BindingInput;
}

/** What each point would resolve to, were the binding saved. */
export function usePreview(proposal: Proposal | undefined) {
  return useQuery({
    queryKey: ["preview", proposal],
    enabled: proposal !== undefined,
    retry: false,
    placeholderData: keepPreviousData,
    queryFn: ({ signal }) =>
      take<Preview>(client.POST("/api/v1/bindings/preview", { body: proposal!, signal })),
  });
}

const after = <T>(v: T): T => {
  touch("bindings", "templates", "points", "changes", "preview", "explain");
  return v;
};

export const createBinding = (body: BindingInput, force: boolean) =>
  take<Binding>(
    client.POST("/api/v1/bindings", {
      params: { header: { "Idempotency-Key": intent() }, query: { force } },
      body,
    }),
  ).then(after);

export const updateBinding = (binding: Binding, body: BindingInput, force: boolean) =>
  take<Binding>(
    client.PUT("/api/v1/bindings/{binding}", {
      params: {
        path: { binding: binding.id },
        header: { "If-Match": `"${binding.version}"` },
        query: { force },
      },
      body,
    }),
  ).then(after);

export const deleteBinding = (binding: Binding, reason: string) =>
  take(
    client.DELETE("/api/v1/bindings/{binding}", {
      params: {
        path: { binding: binding.id },
        header: { "If-Match": `"${binding.version}"` },
        query: { reason },
      },
    }),
  ).then(after);
