import i18next, { type i18n } from "i18next";
import { messagesOf } from "../app/i18n";

const inLanguage = (lng: "en" | "zh"): i18n => {
  const one = i18next.createInstance();
  void one.init({
    lng,
    initAsync: false,
    resources: { [lng]: { translation: messagesOf(lng) } },
    interpolation: { escapeValue: false },
  });
  return one;
};

/** The console's texts in both of its languages, side by side, for what words things by a t of its own. */
export const en = inLanguage("en");
export const zh = inLanguage("zh");
