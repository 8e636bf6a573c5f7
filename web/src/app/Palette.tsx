import { useQuery } from "@tanstack/react-query";
import { useDeferredValue, useEffect, useMemo, useRef, useState, type KeyboardEvent } from "react";
import { useTranslation } from "react-i18next";
import { useNavigate } from "react-router";
import { togglePause } from "../api/live";
import { setPreferences } from "../ui/preferences";
import { features, navItems, type Command } from "./feature";

/** Whether every letter of the text comes in the label in order; a lower score fits better, a whole word best. */
export function fits(label: string, text: string): number | undefined {
  if (!text) return 0;
  const hay = label.toLowerCase();
  const needle = text.toLowerCase();
  const words = hay.split(/[^\p{L}\p{N}_-]+/u);
  if (words.includes(needle)) return 0;
  if (words.some((w) => w.startsWith(needle))) return 1;
  const whole = hay.indexOf(needle);
  if (whole >= 0) return 2 + whole;
  let at = -1;
  for (const ch of needle.replace(/\s+/g, "")) {
    at = hay.indexOf(ch, at + 1);
    if (at < 0) return undefined;
  }
  return 100 + at;
}

export function Palette({ onClose, onSignOut }: { onClose: () => void; onSignOut: () => void }) {
  const { t, i18n } = useTranslation();
  const navigate = useNavigate();
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const query = useDeferredValue(text.trim());
  const list = useRef<HTMLUListElement>(null);

  const found = useQuery({
    queryKey: ["palette", query],
    enabled: query.length > 0,
    staleTime: 10_000,
    queryFn: async ({ signal }) => {
      const all = await Promise.allSettled(features.map(async (f) => (await f.find?.(query, signal)) ?? []));
      return all.flatMap((r) => (r.status === "fulfilled" ? r.value : []));
    },
  });

  const commands = useMemo(() => {
    const own: Command[] = [
      ...navItems.map((n) => ({
        id: n.path,
        group: t("app.goTo"),
        label: t(n.label),
        hint: `g ${n.key}`,
        to: n.path,
      })),
      ...(["light", "dark", "auto"] as const).map((theme) => ({
        id: `theme-${theme}`,
        group: t("app.action"),
        label: `${t("app.theme")}: ${t(`app.themes.${theme}`)}`,
        run: () => setPreferences({ theme }),
      })),
      {
        id: "language",
        group: t("app.action"),
        label: i18n.language === "zh" ? "Switch to English" : "切换到中文",
        run: () => setPreferences({ language: i18n.language === "zh" ? "en" : "zh" }),
      },
      { id: "pause", group: t("app.action"), label: t("app.pauseResume"), hint: "p", run: togglePause },
      { id: "new-template", group: t("app.action"), label: t("app.newTemplate"), to: "/templates?new=1" },
      { id: "out", group: t("app.action"), label: t("app.signOut"), run: onSignOut },
    ];
    const scored = own.map((c) => ({ c, score: fits(c.label, query) })).filter((x) => x.score !== undefined);
    // What a feature found fits by its own rules; the label only says how well.
    const met = (query ? (found.data ?? []) : []).map((c) => ({ c, score: fits(c.label, query) ?? 200 }));
    return [...scored, ...met]
      .sort((a, b) => a.score! - b.score!)
      .slice(0, 40)
      .map((x) => x.c);
  }, [t, i18n.language, query, found.data, onSignOut]);

  const active = Math.min(at, commands.length - 1);
  useEffect(() => {
    list.current?.children[active]?.scrollIntoView({ block: "nearest" });
  }, [active]);

  const run = (command: Command | undefined) => {
    if (!command) return;
    onClose();
    if (command.to) void navigate(command.to);
    command.run?.();
  };

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === "Escape") onClose();
    else if (event.key === "ArrowDown") setAt(Math.min(active + 1, commands.length - 1));
    else if (event.key === "ArrowUp") setAt(Math.max(active - 1, 0));
    else if (event.key === "Enter" && !event.nativeEvent.isComposing) run(commands[active]);
    else return;
    event.preventDefault();
  };

  return (
    <div className="veil" onMouseDown={(e) => e.target === e.currentTarget && onClose()}>
      <div className="palette" role="dialog" aria-modal="true" aria-label={t("app.palette")}>
        <input
          autoFocus
          role="combobox"
          aria-expanded="true"
          aria-controls="palette-list"
          aria-activedescendant={commands[active] ? `cmd-${active}` : undefined}
          aria-label={t("app.palette")}
          placeholder={t("app.palettePlaceholder")}
          value={text}
          onChange={(e) => {
            setText(e.target.value);
            setAt(0);
          }}
          onKeyDown={onKeyDown}
        />
        <ul id="palette-list" role="listbox" aria-label={t("app.palette")} ref={list}>
          {commands.map((c, i) => (
            <li
              key={c.id}
              id={`cmd-${i}`}
              role="option"
              aria-selected={i === active}
              onMouseMove={() => setAt(i)}
              onClick={() => run(c)}
            >
              <span className="group">{c.group}</span>
              <span>{c.label}</span>
              {c.hint && <span className="hint">{c.hint}</span>}
            </li>
          ))}
        </ul>
        {commands.length === 0 && <div className="state">{t("app.nothing")}</div>}
      </div>
    </div>
  );
}
