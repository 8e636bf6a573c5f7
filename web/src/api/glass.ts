import { useSyncExternalStore } from "react";

/** Leave to change things in a freeze, as this browser tab uses it now. */
export interface Leave {
  id: string;
  until: string;
}

const key = "allspark.glass";
const listeners = new Set<() => void>();
let current = read();

function read(): Leave | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "null") as Leave | undefined;
  } catch {
    return undefined;
  }
}

/** The leave in use, while it lasts. Every change made with it is flagged in the log, so it is used only when asked for. */
export function leave(): Leave | undefined {
  if (current && Date.parse(current.until) <= Date.now()) current = undefined;
  return current ?? undefined;
}

export function takeLeave(next: Leave | undefined) {
  current = next;
  try {
    if (next) sessionStorage.setItem(key, JSON.stringify(next));
    else sessionStorage.removeItem(key);
  } catch {
    // Without storage the leave is forgotten with the page.
  }
  listeners.forEach((l) => l());
}

export function useCurrentLeave(): Leave | undefined {
  return useSyncExternalStore((l) => {
    listeners.add(l);
    return () => listeners.delete(l);
  }, leave);
}
