import { accessible, address, expect, test } from "./console";

const pages = [
  "/",
  "/points",
  "/points/k2/sh/sn/rank",
  "/agents",
  "/changes",
  "/templates",
  "/templates/rank-depth",
  "/bindings",
  "/audit",
  "/settings",
  "/nowhere",
];

for (const language of ["en", "zh"] as const)
  for (const theme of ["light", "dark"] as const)
    test(`every page is accessible: ${language}, ${theme}`, async ({ page }) => {
      test.setTimeout(180_000);
      await page.addInitScript((p) => localStorage.setItem("allspark.preferences", JSON.stringify(p)), {
        language,
        theme,
      });
      for (const path of pages)
        await test.step(path, async () => {
          await page.goto(path);
          await expect(page.locator("main h1, main strong").first()).toBeVisible();
          await expect(page.locator(".skeleton")).toHaveCount(0);
          await accessible(page);
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
