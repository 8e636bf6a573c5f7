import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { expect, test as base, type Page } from "@playwright/test";

export const address = () => process.env.ALLSPARK_E2E_URL!;

export async function signIn(page: Page, user = "admin", password = process.env.ALLSPARK_E2E_PASSWORD!) {
  await page.goto(`${address()}/sign-in`);
  await page.locator("input[name=name]").fill(user);
  await page.locator("input[name=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** No serious violation of WCAG 2 A and AA. axe runs in the page itself: the console has no frames to visit. */
export async function accessible(page: Page) {
  await page.evaluate(`if (!window.axe) { ${axe} }`);
  const serious = await page.evaluate(async () => {
    const { axe } = window as unknown as { axe: { run(context: Document, options: object): Promise<Found> } };
    interface Found {
      violations: {
        id: string;
        impact: string;
        nodes: { target: string[]; any: { message: string }[] }[];
      }[];
    }
    const found = await axe.run(document, {
      runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
      resultTypes: ["violations"],
      iframes: false,
    });
    return found.violations
      .filter((v) => v.impact === "serious" || v.impact === "critical")
      .map(
        (v) =>
          `${v.id}: ${v.nodes
            .slice(0, 4)
            .map((n) => `${n.target.join(" ")} ${n.any[0]?.message ?? ""}`)
            .join(" | ")}`,
      );
  });
  expect(serious).toEqual([]);
}

/** Changes a preference the way the console's own switches store it, without loading the page again. */
export async function prefer(page: Page, change: { language?: "en" | "zh"; theme?: "light" | "dark" }) {
  const top = page.locator("header.top");
  const now = () =>
    page.evaluate(
      () =>
        JSON.parse(localStorage.getItem("allspark.preferences") ?? "{}") as {
          language?: string;
          theme?: string;
        },
    );
  if (change.theme)
    for (let i = 0; i < 3 && (await now()).theme !== change.theme; i++)
      await top.getByRole("button", { name: /Theme|主题/ }).click();
  // Where none is stored the browser's counts.
  const shown = (await page.locator("html").getAttribute("lang"))?.startsWith("zh") ? "zh" : "en";
  if (change.language && ((await now()).language ?? shown) !== change.language)
    await top.getByRole("button", { name: /^(EN|中文)$/ }).click();
}

/**
 * The same in both languages and both themes, switched in place. Of axe's rules only the
 * contrast depends on the theme and only those of names and language on the texts, so
 * two of the four pairs see all that there is; loading the page again would show nothing else.
 */
export async function accessibleInBoth(page: Page, shot?: (look: string) => Promise<void>) {
  for (const [language, theme] of [
    ["en", "light"],
    ["zh", "dark"],
  ] as const) {
    await prefer(page, { language, theme });
    await expect(page.locator("html")).toHaveAttribute("lang", language === "zh" ? /^zh/ : "en");
    await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
    await accessible(page);
    await shot?.(`${language}-${theme}`);
  }
  await prefer(page, { language: "en", theme: "light" });
}

/** A signed-in page that fails its test when the console throws. One sign-in for all tests of a worker: they are limited. */
export const test = base.extend<{ page: Page }, { session: string }>({
  session: [
    async ({ browser }, use) => {
      const context = await browser.newContext();
      await signIn(await context.newPage());
      const state = JSON.stringify(await context.storageState());
      await context.close();
      await use(state);
    },
    { scope: "worker" },
  ],
  page: async ({ browser, session }, use) => {
    const context = await browser.newContext({
      baseURL: address(),
      storageState: JSON.parse(session) as never,
      viewport: { width: 1440, height: 900 },
      locale: "en-GB",
    });
    const page = await context.newPage();
    const thrown: string[] = [];
    page.on("pageerror", (e) => thrown.push(e.message));
    await use(page);
    expect(thrown).toEqual([]);
    await context.close();
  },
});

export { expect };

/** Calls the API with the page's own session. */
export async function call<T>(page: Page, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await page.evaluate(
    async ([method, path, body]) => {
      const got = await fetch(`/api/v1${path}`, {
        method,
        ...(body === undefined
          ? {}
          : { body: JSON.stringify(body), headers: { "Content-Type": "application/json" } }),
      });
      return { ok: got.ok, status: got.status, text: await got.text() };
    },
    [method, path, body] as const,
  );
  expect(answer.ok, `${method} ${path}: ${answer.status} ${answer.text}`).toBe(true);
  return (answer.text ? JSON.parse(answer.text) : undefined) as T;
}

/** Makes a user and signs them in, in a browser of their own. */
export async function secondUser(
  page: Page,
  role: "viewer" | "operator" | "admin",
  scope: { app?: string; idc?: string } = {},
): Promise<{ page: Page; name: string; close: () => Promise<void> }> {
  const name = `second-${role}-${Date.now() % 10_000_000}`;
  const { password } = await call<{ password: string }>(page, "POST", "/users", {
    name,
    grants: [{ role, app: scope.app ?? "*", idc: scope.idc ?? "*" }],
  });
  const context = await page
    .context()
    .browser()!
    .newContext({
      baseURL: address(),
      viewport: { width: 1440, height: 900 },
      locale: "en-GB",
    });
  const second = await context.newPage();
  await signIn(second, name, password);
  return { page: second, name, close: () => context.close() };
}

/** A picture for people, where ALLSPARK_SHOTS names a folder. */
export async function shoot(page: Page, name: string) {
  const folder = process.env.ALLSPARK_SHOTS;
  if (folder) await page.screenshot({ path: `${folder}/${name}.png`, fullPage: true });
}

/** A name that no run before has used on this server. */
export const fresh = (stem: string) => `${stem}-${Date.now() % 10_000_000}`;

/** Fills fields by their labels. */
export async function fill(page: Page, fields: Record<string, string>) {
  for (const [label, value] of Object.entries(fields))
    await page.getByLabel(label, { exact: true }).fill(value);
}
