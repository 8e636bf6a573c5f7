import { readFileSync } from "node:fs";
import { accessible, expect, test } from "./console";

const shots = process.env.ALLSPARK_SHOTS;

test("points are ranked live, held ones by hand on top of theirs, and exported", async ({ page }) => {
  await page.goto("/leaderboard");
  const table = page.getByRole("table", { name: "Leaderboard" });
  await expect(table.getByRole("link", { name: /sn \/ rank/ }).first()).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/levels of the last 10 s/)).toBeVisible();
  if (shots) await page.screenshot({ path: `${shots}/leaderboard.png` });

  // By app: six rows at most, and a row leads to its points.
  await page.getByLabel("Group by").selectOption("app");
  await expect(page).toHaveURL(/group=app/);
  await expect(table.getByRole("columnheader", { name: "Points" })).toBeVisible();
  await expect(table.getByRole("row")).not.toHaveCount(1);
  if (shots) await page.screenshot({ path: `${shots}/leaderboard-apps.png` });
  await table.getByRole("row").filter({ hasText: "sn" }).first().focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/app=sn/);
  await expect(table.getByRole("link").first()).toHaveText(/^sn \//);

  // The address is the page: rank, filter and text come back from it.
  await page.goto("/leaderboard?sort=-overridden&scene=k2&q=recall");
  await expect(page.getByLabel("Rank by")).toHaveValue("-overridden");
  await expect(table.getByRole("link").first()).toHaveText(/recall/);

  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("link", { name: "Export CSV" }).click(),
  ]);
  const text = readFileSync(await file.path(), "utf8");
  expect(text.split("\n")[0]).toContain("rank,previous_rank,scene");
  expect(text).toContain("recall");
  await accessible(page);
});

test("a stretch without samples says so", async ({ page }) => {
  await page.goto("/leaderboard?window=1h&to=2020-01-01T00:00:00Z");
  await expect(page.getByText("Nothing was measured in this stretch")).toBeVisible();
});
