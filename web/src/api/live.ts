import { QueryClient, type QueryKey } from "@tanstack/react-query";
import { useSyncExternalStore } from "react";
import { Problem } from "./problem";
import { follow } from "./sse";

export type LiveMode = "connecting" | "on" | "polling" | "paused";

export interface LiveState {
  mode: LiveMode;
  since?: number; // when the last sign of life came, ms
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 2_000,
      retry: (n, error) => n < 2 && error instanceof Problem && (error.status === 0 || error.status >= 502),
      refetchOnWindowFocus: false,
    },
  },
});

let state: LiveState = { mode: "connecting" };
const listeners = new Set<() => void>();

function set(next: LiveState) {
  state = next;
  listeners.forEach((l) => l());
}

const listen = (l: () => void) => {
  listeners.add(l);
  return () => listeners.delete(l);
};

export function useLive(): LiveState {
  return useSyncExternalStore(listen, () => state);
}

/** How often a live query asks again: never when paused, seldom while events come, often without them. */
export function useRefresh(liveMs = 5_000): number | false {
  // A page asks for this with every query: a sign of life each second must not draw it again.
  const mode = useSyncExternalStore(listen, () => state.mode);
  if (mode === "paused") return false;
  return mode === "on" ? liveMs : Math.min(liveMs, 4_000);
}

// The first path segment of a query key is the resource; an event names resources to look at again.
const pending = new Set<string>();
let timer: ReturnType<typeof setTimeout> | undefined;

/** Marks resources as changed; bursts become one refetch a quarter second. */
export function touch(...resources: string[]) {
  resources.forEach((r) => pending.add(r));
  timer ??= setTimeout(() => {
    timer = undefined;
    const now = new Set(pending);
    pending.clear();
    if (state.mode === "paused") return;
    void queryClient.invalidateQueries({
      predicate: (q: { queryKey: QueryKey }) => now.has(String(q.queryKey[0])),
    });
  }, 250);
}

let stop: (() => void) | undefined;
const watchers = new Set<(event: string, data: unknown) => void>();

/** Calls back with every event, parsed. */
export function watch(fn: (event: string, data: unknown) => void): () => void {
  watchers.add(fn);
  return () => watchers.delete(fn);
}

/** Opens the one event stream of the console. resourcesOf says which queries an event makes old. */
export function startLive(
  url: string,
  resourcesOf: (event: string, data: unknown) => string[],
  onUnauthorized: () => void,
) {
  stop?.();
  set({ mode: "connecting", since: state.since });
  stop = follow(url, {
    onOpen: () => set({ mode: "on", since: Date.now() }),
    onBeat: () => {
      // Once a second is enough for a badge.
      if (Date.now() - (state.since ?? 0) > 1_000 || state.mode !== "on")
        set({ mode: "on", since: Date.now() });
    },
    onEvent: (e) => {
      let data: unknown;
      try {
        data = JSON.parse(e.data);
      } catch {
        data = undefined; // a hint only: the query it invalidates carries the truth
      }
      touch(...resourcesOf(e.event, data));
      watchers.forEach((w) => w(e.event, data));
    },
    onLost: () => set({ mode: "polling", since: state.since }),
    onUnauthorized,
  });
  restart = () => startLive(url, resourcesOf, onUnauthorized);
}

let restart: (() => void) | undefined;

export function stopLive() {
  stop?.();
  stop = undefined;
  restart = undefined;
}

/** Pause stops the stream and every refetch; resuming reads everything again. */
export function togglePause() {
  if (state.mode === "paused") {
    set({ mode: "connecting", since: state.since });
    restart?.();
    void queryClient.invalidateQueries();
  } else {
    stop?.();
    set({ mode: "paused", since: state.since });
  }
}
