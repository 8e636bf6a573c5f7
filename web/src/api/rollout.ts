import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
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

/** The journal back to a time, a page at a time, newest first. */
export function useJournal(query: { app?: string; idc?: string; hours: number }) {
  const { hours, ...filter } = query;
  return useInfiniteQuery({
    queryKey: ["changes", "journal", query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      take<Page<Change>>(
        client.GET("/api/v1/changes", {
          params: {
            query: {
              ...filter,
              from: new Date(Date.now() - hours * 3_600_000).toISOString(),
              cursor: pageParam,
              limit: 100,
            },
          },
          signal,
        }),
      ),
    getNextPageParam: (last) => last.next_cursor || undefined,
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
