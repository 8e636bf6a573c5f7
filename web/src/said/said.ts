import i18next from "i18next";
import type { Phrasebook } from "./phrasebook";

/** What react-i18next listens to besides a change of language: a phrasebook has come. */
export const arrived = "said";

const books = new Map<string, Phrasebook>();

/** Fetches the language's phrasebook, apart from the first load; without it the server's English stays. */
export async function openBook(language: string) {
  if (language !== "zh" || books.has(language)) return;
  try {
    books.set(language, (await import("./zh")).book);
    i18next.emit(arrived);
  } catch {
    // The next change of language tries again.
  }
}

/**
 * A sentence that the server worded, in the reader's language. The server speaks English only, to the
 * console as to the command line and the log; what this book does not know is shown as it came.
 */
export function said(sentence: string): string;
export function said(sentence: string | undefined): string | undefined;
export function said(sentence: string | undefined): string | undefined {
  return sentence && (books.get(i18next.language)?.say(sentence) ?? sentence);
}
