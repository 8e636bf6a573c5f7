import { accessible, expect, test } from "./console";

test("override a point with a reason and an end, see why, extend, release", async ({ page }) => {
  await page.goto("/points/k2/zjk/sn/recall");
  // The template or the scene's loop decides: which of them depends on the moment.
  await expect(page.getByTestId("why-summary")).toContainText(/level \d+: (the template|preset|feedback)/);
  await page.getByRole("button", { name: "Override…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("To").fill("3");
  await expect(dialog.getByRole("button", { name: "Set" })).toBeDisabled();
  await dialog.getByPlaceholder(/Why/).fill("RT above target");
  await dialog.getByRole("button", { name: "Set" }).click();
  await expect(page.getByTestId("progress-summary").first()).toHaveText(/3 of 3 agents hold/);
  await page.locator(".ant-drawer-close").click();
  await expect(page.getByTestId("why-summary")).toContainText("level 3: manual claim of admin");
  await expect(page.getByText("replays exactly")).toBeVisible();

  await page.getByRole("button", { name: "Extend…" }).first().click();
  const extend = page.getByRole("dialog").filter({ hasText: "Extend" });
  await extend.getByPlaceholder(/Why/).fill("still above");
  await extend.getByRole("button", { name: "Extend" }).click();
  await expect(extend).toBeHidden();
  await page.locator(".ant-drawer-close").click();

  await page.getByRole("button", { name: "Release…" }).first().click();
  const release = page.getByRole("dialog").filter({ hasText: "Release" });
  await release.getByPlaceholder(/Why/).fill("over");
  await release.getByRole("button", { name: "Release" }).click();
  await expect(release).toBeHidden();
  await expect(page.getByTestId("why-summary")).toContainText(/level \d+: (the template|preset|feedback)/);
  await accessible(page);
});

test("ban an agent and let it back", async ({ page }) => {
  await page.goto("/agents?q=creative-sh-3");
  await page.getByRole("row", { name: /creative-sh-3/ }).click();
  const toggle = async (button: string, state: string) => {
    await page.getByRole("button", { name: button }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByPlaceholder(/Why/).fill("test");
    await dialog.getByRole("button", { name: button }).click();
    await expect(dialog).toBeHidden();
    await expect(page.locator("h1 ~ .tag", { hasText: state })).toBeVisible();
  };
  await toggle("Ban…", "banned");
  await toggle("Re-enrol…", "connected");
});

test("the audit log shows the difference and its chain holds", async ({ page }) => {
  await page.goto("/audit");
  await page.getByRole("button", { name: "Verify chain" }).click();
  await expect(page.getByText(/chain intact: \d+ entries/)).toBeVisible();
  // The loops write most of it; what people did is one choice away.
  await expect(page.getByRole("cell", { name: /^system:/ }).first()).toBeVisible();
  await page.getByRole("combobox", { name: "By: people" }).selectOption("By: people");
  await expect(page.getByRole("cell", { name: /^system:/ })).toHaveCount(0);
  await expect(page.getByRole("cell", { name: "admin" }).first()).toBeVisible();
  await page.getByRole("row").nth(1).click();
  await expect(page.getByRole("dialog")).toBeVisible();
});

test("make a user, whose password is shown once", async ({ page }) => {
  const name = `ann-${Date.now() % 1_000_000}`;
  await page.goto("/settings?tab=users");
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").first().fill(name);
  await dialog.getByRole("button", { name: "Create" }).click();
  await expect(page.getByTestId("secret")).not.toBeEmpty();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("row", { name: new RegExp(name) })).toBeVisible();
});

test("the palette finds a point and goes there", async ({ page }) => {
  await page.goto("/");
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Command palette" }).fill("recall");
  await expect(page.getByRole("option", { name: /sn \/ recall/ }).first()).toBeVisible();
  await page
    .getByRole("option", { name: /sn \/ recall/ })
    .first()
    .click();
  await expect(page).toHaveURL(/\/points\/.*\/sn\/recall/);
  await page.keyboard.press("g");
  await page.keyboard.press("a");
  await expect(page).toHaveURL(/\/agents$/);
});
