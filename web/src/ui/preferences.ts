import { useSyncExternalStore } from "react";

export type Theme = "light" | "dark" | "auto";
export type Density = "compact" | "comfortable";

export interface Preferences {
  theme: Theme;
  density: Density;
  language?: "en" | "zh";
  narrow: boolean; // navigation shows icons only
}

const key = "allspark.preferences";
const listeners = new Set<() => void>();
let current = read();

function read(): Preferences {
  const fallback: Preferences = { theme: "auto", density: "compact", narrow: false };
  try {
    return { ...fallback, ...(JSON.parse(localStorage.getItem(key) ?? "{}") as Partial<Preferences>) };
  } catch {
    return fallback;
  }
}

export function preferences(): Preferences {
  return current;
}

export function setPreferences(change: Partial<Preferences>) {
  current = { ...current, ...change };
  try {
    localStorage.setItem(key, JSON.stringify(current));
  } catch {
    // A full or forbidden storage costs only the memory of the choice.
  }
  listeners.forEach((l) => l());
}

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function usePreferences(): Preferences {
  return useSyncExternalStore(subscribe, preferences);
}

const systemDark = () => matchMedia("(prefers-color-scheme: dark)");

/** Whether dark colours are to be shown now, following the system where the choice is "auto". */
export function useDark(): boolean {
  const { theme } = usePreferences();
  const system = useSyncExternalStore(
    (l) => {
      const query = systemDark();
      query.addEventListener("change", l);
      return () => query.removeEventListener("change", l);
    },
    () => systemDark().matches,
  );
  return theme === "auto" ? system : theme === "dark";
}
