import AxeBuilder from "@axe-core/playwright";
import { expect, test as base, type Page } from "@playwright/test";

export const address = () => process.env.ALLSPARK_E2E_URL!;

export async function signIn(page: Page, user = "admin", password = process.env.ALLSPARK_E2E_PASSWORD!) {
  await page.goto(`${address()}/sign-in`);
  await page.locator("input[name=name]").fill(user);
  await page.locator("input[name=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
}

/** No serious violation of WCAG 2 A and AA. */
export async function accessible(page: Page) {
  const result = await new AxeBuilder({ page })
    .withTags(["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"])
    .analyze();
  const serious = result.violations
    .filter((v) => v.impact === "serious" || v.impact === "critical")
    .map(
      (v) =>
        `${v.id}: ${v.nodes
          .map((n) => n.target.join(" ") + " " + (n.any[0]?.message ?? ""))
          .slice(0, 4)
          .join(" | ")}`,
    );
  expect(serious).toEqual([]);
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
