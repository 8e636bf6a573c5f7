import { accessible, address, expect, prefer, test } from "./console";

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
  test.setTimeout(240_000);
  await page.addInitScript(() => {
    if (!localStorage.getItem("allspark.preferences"))
      localStorage.setItem("allspark.preferences", JSON.stringify({ language: "en", theme: "light" }));
  });
  await page.goto("/");
  for (const path of pages)
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.locator("main h1, main strong").first()).toBeVisible();
      await expect(page.locator(".skeleton")).toHaveCount(0);
      for (const [language, theme] of [
        ["en", "light"],
        ["en", "dark"],
        ["zh", "dark"],
        ["zh", "light"],
      ] as const) {
        await prefer(page, { language, theme });
        await expect(page.locator("html")).toHaveAttribute("lang", language === "zh" ? /^zh/ : "en");
        await expect(page.locator("html")).toHaveAttribute("data-theme", theme);
        await accessible(page);
      }
      await prefer(page, { language: "en" });
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
