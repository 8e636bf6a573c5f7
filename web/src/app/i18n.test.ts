import { expect, it } from "vitest";
import { messagesOf, type Messages } from "./i18n";

function flat(m: Messages, prefix = ""): [string, string][] {
  return Object.entries(m).flatMap(([k, v]) =>
    typeof v === "string" ? [[prefix + k, v] as [string, string]] : flat(v, `${prefix}${k}.`),
  );
}

const en = new Map(flat(messagesOf("en")));
const zh = new Map(flat(messagesOf("zh")));
const sources = Object.entries(
  import.meta.glob<string>("/src/**/*.{ts,tsx}", { eager: true, query: "?raw", import: "default" }),
).filter(([path]) => !/\.test\.|messages\./.test(path));

it("has the same keys in both languages", () => {
  expect([...zh.keys()].sort()).toEqual([...en.keys()].sort());
  expect(en.size).toBeGreaterThan(300);
});

it("fills the same places in both languages", () => {
  const places = (s: string) => [...s.matchAll(/\{\{(\w+)\}\}/g)].map((m) => m[1]).sort();
  for (const [key, text] of en) expect([key, places(zh.get(key)!)]).toEqual([key, places(text)]);
});

it("knows every key that the code names", () => {
  const missing = sources.flatMap(([path, text]) =>
    [...text.matchAll(/\bt\(\s*"([\w.]+)"/g)]
      .map((m) => m[1]!)
      .filter((key) => !en.has(key) && !en.has(`${key}_other`))
      .map((key) => `${path}: ${key}`),
  );
  expect(missing).toEqual([]);
});

it("leaves no English sentence in the markup", () => {
  const found = sources
    .filter(([path]) => path.endsWith(".tsx"))
    .flatMap(([path, text]) =>
      [...text.matchAll(/>\s*([A-Z][a-z]+ [a-z]+[^<{]*)</g)].map((m) => `${path}: ${m[1]}`),
    );
  expect(found).toEqual([]);
});
