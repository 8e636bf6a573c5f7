import i18next from "i18next";
import { initReactI18next } from "react-i18next";
import { arrived, openBook } from "../said/said";

export type Language = "en" | "zh";
export type Messages = { [key: string]: string | Messages };

// Every folder that speaks brings its own messages: deleting the folder deletes them.
const sources = import.meta.glob<Messages>("/src/{app,ui,features/*}/messages.*.ts", {
  eager: true,
  import: "default",
});

/** Gathers the messages of one language, keyed by the folder's name. */
export function messagesOf(language: Language): Messages {
  const out: Messages = {};
  for (const [path, messages] of Object.entries(sources)) {
    const match = /([^/]+)\/messages\.(\w+)\.ts$/.exec(path);
    if (match?.[2] === language) out[match[1]!] = messages;
  }
  return out;
}

export function setUpI18n(language: Language) {
  i18next.on("languageChanged", (now) => void openBook(now));
  void i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: "en",
    resources: { en: { translation: messagesOf("en") }, zh: { translation: messagesOf("zh") } },
    interpolation: { escapeValue: false }, // React escapes
    returnNull: false,
    initAsync: false,
    react: { bindI18n: `languageChanged ${arrived}` },
  });
}

export function guessLanguage(): Language {
  return navigator.language.toLowerCase().startsWith("zh") ? "zh" : "en";
}
