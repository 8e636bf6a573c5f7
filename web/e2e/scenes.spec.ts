import { expect, test } from "@playwright/test";
import { accessible, address, signIn } from "./console";

const shots = process.env.ALLSPARK_SHOTS;

test.beforeEach(async ({ page }) => {
  await signIn(page);
});

test("changing a target shows preset, hold and hand-over", async ({ page }) => {
  await page.goto(`${address()}/scenes`);
  await page.getByRole("link", { name: "k2" }).first().click();
  const phase = page.getByRole("region", { name: /Phase|阶段/ });
  await expect(phase).toContainText(/feedback|反馈/, { timeout: 60_000 });
  await page.getByRole("button", { name: /Change target|修改目标/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").first().fill("160ms");
  await dialog.getByRole("textbox").last().fill("the front end asks for it");
  await dialog.getByRole("button", { name: /Push|下发/ }).click();
  await expect(phase).toContainText(/160ms/, { timeout: 10_000 });
  await expect(phase.getByRole("progressbar")).toBeVisible();
  if (shots) await page.screenshot({ path: `${shots}/scene-preset.png` });
  await expect(phase).toContainText(/Handed over|已移交/, { timeout: 45_000 });
  const actual = page.locator(".tile").nth(1).locator(".value");
  await expect
    .poll(async () => Math.abs(parseFloat((await actual.innerText()).replace(/[^\d.]/g, "")) / 160 - 1), {
      timeout: 30_000,
    })
    .toBeLessThan(0.15);
  await accessible(page);
});

test("the link view shows every node in both IDCs, as a graph and as a table", async ({ page }) => {
  await page.goto(`${address()}/scenes/k2`);
  const figure = page.getByRole("figure", { name: /Link|链路/ });
  await expect(figure.getByText("sn/recall")).toBeVisible();
  if (shots) await page.screenshot({ path: `${shots}/scene-link.png` });
  await page.goto(`${address()}/scenes/k2?tab=table`);
  const table = page.getByRole("table");
  for (const idc of ["sh", "zjk"])
    await expect(
      table.getByRole("row").filter({ hasText: "sn/recall" }).filter({ hasText: idc }),
    ).toBeVisible();
  if (shots) await page.screenshot({ path: `${shots}/scene-table.png` });
});

test("the what-if slider shows another row of the table", async ({ page }) => {
  await page.goto(`${address()}/scenes/k2?tab=allocation`);
  const slider = page.getByRole("slider");
  await expect(slider).toBeVisible({ timeout: 60_000 });
  const before = await page.getByRole("table").first().innerText();
  await slider.focus();
  for (let i = 0; i < 40; i++) await slider.press("ArrowLeft");
  await expect.poll(() => page.getByRole("table").first().innerText()).not.toBe(before);
  if (shots) await page.screenshot({ path: `${shots}/scene-allocation.png`, fullPage: true });
});

test("an edge of the graph is removed and saved as a new version", async ({ page }) => {
  await page.goto(`${address()}/scenes/feeds?tab=graph`);
  await page.getByRole("button", { name: /(Remove|删除) model\/score → merger\/merge/ }).click();
  if (shots) await page.screenshot({ path: `${shots}/scene-graph.png`, fullPage: true });
  await page.getByRole("button", { name: /Save graph|保存链路图/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").last().fill("merge runs beside score now");
  await dialog.getByRole("button", { name: /Save graph|保存链路图/ }).click();
  await expect(dialog).toBeHidden();
  await page.reload();
  await expect(page.getByRole("button", { name: /model\/score → merger\/merge/ })).toHaveCount(0);
});
