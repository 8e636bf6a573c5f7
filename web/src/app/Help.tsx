import { useEffect, useRef } from "react";
import { useTranslation } from "react-i18next";
import { navItems } from "./feature";

export function Help({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation();
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    box.current?.focus();
    return () => (before as HTMLElement | null)?.focus?.();
  }, []);
  const keys: [string, string][] = [
    ["⌘K / Ctrl K", t("app.keys.palette")],
    ["/", t("app.keys.search")],
    ["p", t("app.keys.pause")],
    ["?", t("app.keys.help")],
    ["j k ↑ ↓", t("app.keys.rows")],
    ["Enter", t("app.keys.open")],
    ...navItems.map((n): [string, string] => [`g ${n.key}`, t(n.label)]),
    ["F2 / Enter", t("app.keys.edit")],
    ["⌘C ⌘V", t("app.keys.paste")],
    ["⌘D", t("app.keys.fill")],
    ["Delete", t("app.keys.clear")],
  ];
  return (
    <div className="veil" onMouseDown={(e) => e.target === e.currentTarget && onClose()}>
      <div
        ref={box}
        tabIndex={-1}
        className="palette help"
        role="dialog"
        aria-modal="true"
        aria-label={t("app.help")}
        onKeyDown={(e) => e.key === "Escape" && onClose()}
      >
        <h2>{t("app.help")}</h2>
        <div className="keys">
          {keys.map(([key, what]) => (
            <div key={key + what}>
              <span>{what}</span>
              <kbd>{key}</kbd>
            </div>
          ))}
        </div>
      </div>
    </div>
  );
}
