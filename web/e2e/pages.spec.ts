import { accessible, accessibleInBoth, address, expect, test } from "./console";

const pages = [
  "/",
  "/points",
  "/points/k2/sh/sn/rank",
  "/agents",
  "/changes",
  "/leaderboard",
  "/templates",
  "/templates/rank-depth",
  "/bindings",
  "/experiments",
  "/audit",
  "/settings?tab=users",
  "/settings?tab=tokens",
  "/nowhere",
];

// Each page is loaded once and then switched in place: in the other language and
// theme it is the same document, and loading it again would only cost time.
test("every page is accessible in both languages and themes", async ({ page }) => {
  await page.goto("/");
  for (const path of pages)
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.locator("main h1, main strong").first()).toBeVisible();
      await expect(page.locator(".skeleton")).toHaveCount(0);
      await accessibleInBoth(page);
    });
});

test("without a session every page leads to the sign-in, and back", async ({ browser }) => {
  const context = await browser.newContext({ baseURL: address(), locale: "en-GB" });
  const page = await context.newPage();
  await page.goto("/points?app=sn");
  await expect(page).toHaveURL(/\/sign-in\?to=%2Fpoints%3Fapp%3Dsn/);
  await accessible(page);
  await page.locator("input[name=name]").fill("nobody");
  await page.locator("input[name=password]").fill("wrong password");
  await page.locator("button[type=submit]").click();
  await expect(page.getByRole("alert")).toContainText(/Request/);
  await context.close();
});
