import { useTranslation } from "react-i18next";
import { Icon } from "../ui/icons";
import { setPreferences, usePreferences, type Theme } from "../ui/preferences";

export function LanguageSwitch() {
  const { i18n, t } = useTranslation();
  const zh = i18n.language === "zh";
  return (
    <button
      type="button"
      className="icon-button text"
      title={t("app.language")}
      lang={zh ? "en" : "zh-CN"}
      onClick={() => setPreferences({ language: zh ? "en" : "zh" })}
    >
      {zh ? "EN" : "中文"}
    </button>
  );
}

const next: Record<Theme, Theme> = { light: "dark", dark: "auto", auto: "light" };
const icon = { light: "sun", dark: "moon", auto: "auto" } as const;

export function ThemeSwitch() {
  const { t } = useTranslation();
  const { theme } = usePreferences();
  const label = `${t("app.theme")}: ${t(`app.themes.${theme}`)}`;
  return (
    <button
      type="button"
      className="icon-button"
      title={label}
      aria-label={label}
      onClick={() => setPreferences({ theme: next[theme] })}
    >
      <Icon name={icon[theme]} />
    </button>
  );
}

export function DensitySwitch() {
  const { t } = useTranslation();
  const { density } = usePreferences();
  const label = `${t("app.density")}: ${t(`app.densities.${density}`)}`;
  return (
    <button
      type="button"
      className="icon-button"
      title={label}
      aria-label={label}
      onClick={() => setPreferences({ density: density === "compact" ? "comfortable" : "compact" })}
    >
      <Icon name="density" />
    </button>
  );
}
