import { useQuery } from "@tanstack/react-query";
import { client, take } from "./client";
import { useRefresh } from "./live";
import type { Change, Progress } from "./types";

export interface Page<T> {
  items: T[];
  next_cursor?: string;
}

/** Every page of a list, up to a bound that keeps a page of the console honest and fast. */
export async function all<T>(
  get: (cursor: string | undefined) => Promise<Page<T>>,
  bound = 2_000,
): Promise<T[]> {
  const out: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await get(cursor);
    out.push(...(page.items ?? []));
    cursor = page.next_cursor || undefined;
  } while (cursor && out.length < bound);
  return out;
}

export function useRecentChanges(query: { app?: string; idc?: string; limit: number }) {
  return useQuery({
    queryKey: ["changes", query],
    queryFn: ({ signal }) => take<Page<Change>>(client.GET("/api/v1/changes", { params: { query }, signal })),
    refetchInterval: useRefresh(10_000),
  });
}

/** How far a revision got; asked every second until everybody answered. */
export function useProgress(revision: number | undefined) {
  const refresh = useRefresh(1_000);
  return useQuery({
    queryKey: ["progress", revision],
    enabled: revision !== undefined,
    queryFn: ({ signal }) =>
      take<Progress>(
        client.GET("/api/v1/changes/{revision}/progress", {
          params: { path: { revision: revision! } },
          signal,
        }),
      ),
    refetchInterval: (q) =>
      q.state.data?.complete || q.state.data?.superseded || q.state.error ? false : refresh,
  });
}
