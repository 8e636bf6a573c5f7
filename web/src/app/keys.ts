import { useEffect, useRef } from "react";

/** Whether the keystroke belongs to a field the user is typing in. */
export function typing(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      !!target.closest("[data-keys=own]"))
  );
}

export interface Keys {
  onPalette(): void;
  onHelp(): void;
  onPause(): void;
  onGo(key: string): boolean;
}

/** The console's global keys: ⌘K, /, ?, p and g followed by a page's letter. */
export function useGlobalKeys(keys: Keys) {
  const latest = useRef(keys);
  useEffect(() => {
    latest.current = keys;
  });
  useEffect(() => {
    let goUntil = 0;
    const onKey = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key.toLowerCase() === "k") {
        event.preventDefault();
        latest.current.onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || typing(event.target)) return;
      // When the key was pressed, not when a busy page came to it.
      if (event.timeStamp < goUntil) {
        goUntil = 0;
        if (latest.current.onGo(event.key)) event.preventDefault();
        return;
      }
      if (event.key === "g") goUntil = performance.now() + 1_200;
      else if (event.key === "?") latest.current.onHelp();
      else if (event.key === "p") latest.current.onPause();
      else if (event.key === "/") {
        const field = document.querySelector<HTMLInputElement>("[data-search] input, input[data-search]");
        if (field) {
          event.preventDefault();
          field.focus();
          field.select();
        } else latest.current.onPalette();
      }
    };
    window.addEventListener("keydown", onKey);
    return () => window.removeEventListener("keydown", onKey);
  }, []);
}
