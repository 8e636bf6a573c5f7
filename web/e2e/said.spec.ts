import { expect, prefer, test } from "./console";

test("what the server finds wrong is said in the reader's language", async ({ page }) => {
  await page.goto("/plans/new");
  const found = page.getByTestId("plan-problems");
  await expect(found).toContainText("step gears sets nothing");
  await prefer(page, { language: "zh" });
  await expect(found).toContainText("步骤 gears 没有设定任何内容");
  await expect(found).not.toContainText("sets nothing");
  await prefer(page, { language: "en" });
  await expect(found).toContainText("step gears sets nothing");
});

test("a loop's reason and what a dialog is told are Chinese", async ({ page }) => {
  await page.goto("/scenes/k2");
  await prefer(page, { language: "zh" });
  // The last decision of the scene's loop, whatever it is: no English sentence of it is left.
  const decision = page.locator("section", { hasText: /预调|反馈调节/ }).last();
  await expect(decision).toContainText(/目标|移交|保持|容差/);
  await expect(decision).not.toContainText(/ against | holding|preset|feedback/);

  await page.getByRole("button", { name: "修改目标RT" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("新目标").fill("20ms");
  await expect(dialog).toContainText("20ms 超出分配表的目标范围 80..400 ms，取最近的行");
  await dialog.getByLabel("新目标").fill("2h");
  await expect(dialog).toContainText("目标应为 1ms..1m0s，实际为 2h0m0s");
  await expect(dialog.getByRole("button", { name: "下发" })).toBeDisabled();
});
