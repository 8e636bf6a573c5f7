import { accessible, expect, test } from "./console";

// The recall point of the demo is regulated by crowds. Its available RT is held at
// 7.5 ms by hand, because the scene's own loop moves it as well; doubling the load
// from the page must not push the point over.
test("recall holds its available RT when the demo's load doubles", async ({ page }) => {
  test.setTimeout(240_000);
  const crowds = async () =>
    (await (await page.request.get("/api/v1/points/k2/zjk/sn/recall/crowds")).json()) as {
      available_rt_ms: number;
      rt_mean_ms: number;
      count: number;
      downgraded: number;
      crowds: { level: number }[];
    };
  await page.goto("/points/k2/zjk/sn/recall");
  await expect(page.getByRole("img", { name: "RT distribution" })).toBeVisible();
  await page.getByRole("button", { name: "Override…" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("What").selectOption("available_rt");
  await dialog.getByLabel("To").fill("7.5ms");
  await dialog.getByPlaceholder(/Why/).fill("hold it while the load doubles");
  await dialog.getByRole("button", { name: "Set" }).click();
  await expect(page.getByTestId("progress-summary").first()).toHaveText(/3 of 3 agents hold/);
  await page.locator(".ant-drawer-close").click();
  await expect(page.getByTestId("setpoint").first()).toContainText("available 7.50 ms");
  // Crowds need a fit, and a fit needs a few intervals.
  await expect.poll(async () => (await crowds()).crowds.length, { timeout: 90_000 }).toBeGreaterThan(3);
  await page.getByLabel("Demo load").selectOption("40");
  await page.waitForTimeout(10_000); // the window is that long
  const before = await crowds();
  await expect(page.getByTestId("crowd-bar").first()).toBeVisible();

  await page.getByLabel("Demo load").selectOption("80");
  await expect
    .poll(async () => (await crowds()).count, { timeout: 60_000 })
    .toBeGreaterThan(before.count * 1.5);
  // It settles within a few intervals and stays: three looks, each at the requests of ten seconds.
  await page.waitForTimeout(45_000);
  let sum = 0;
  let count = 0;
  for (let i = 0; i < 3; i++) {
    await page.waitForTimeout(10_000);
    const now = await crowds();
    sum += now.rt_mean_ms * now.count;
    count += now.count;
  }
  expect(sum / count).toBeLessThanOrEqual(7.5);
  const after = await crowds();
  expect(after.downgraded / after.count).toBeGreaterThan(0);
  await accessible(page);
  await page.getByLabel("Demo load").selectOption("40");
});
