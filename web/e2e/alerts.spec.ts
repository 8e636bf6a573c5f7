import { accessible, expect, prefer, test } from "./console";

// The demo is healthy and may dial nothing but public addresses.
test("a sink is made and tested, a rule is changed, alerts are silenced for a while", async ({ page }) => {
  test.setTimeout(240_000);
  await page.goto("/alerts?state=all");
  await expect(page.getByRole("heading", { name: "Alerts", level: 1 })).toBeVisible();
  await expect(page.getByRole("tab", { name: "Rules" })).toBeVisible();
  await accessible(page);

  await page.getByRole("tab", { name: "Sinks" }).click();
  await page.getByRole("button", { name: "New sink" }).click();
  let dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("on-call");
  await dialog.getByLabel("Address").fill("http://127.0.0.1:9/hook?token=do-not-show");
  await dialog.getByLabel("Secret").fill("a shared secret");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  const row = page.getByRole("row", { name: /on-call/ });
  await expect(row).toContainText("http://127.0.0.1:9/…");
  await row.getByRole("button", { name: "Test" }).click();
  await expect(page.getByRole("status").filter({ hasText: "not a public one" })).toBeVisible();
  expect(await page.content()).not.toContain("do-not-show");
  await accessible(page);

  await page.getByRole("tab", { name: "Rules" }).click();
  await page.getByRole("button", { name: "Edit Bad machine" }).click();
  dialog = page.getByRole("dialog");
  await dialog.getByLabel(/Threshold/).fill("much");
  await expect(dialog.getByText("wants a number above 0")).toBeVisible();
  await dialog.getByLabel(/Threshold/).fill("45");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole("row", { name: /^Bad machine/ })).toContainText("45 %");
  await accessible(page);

  await page.getByRole("tab", { name: "Silences" }).click();
  await page.getByRole("button", { name: "New silence" }).click();
  dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Agent" }).fill("sn-7");
  await expect(dialog.getByRole("button", { name: "Silence" })).toBeDisabled(); // it wants a reason
  await dialog.getByLabel("Reason").fill("machine in repair");
  await dialog.getByRole("button", { name: "Silence" }).click();
  await expect(dialog).toBeHidden();
  const silence = page.getByRole("row", { name: /machine in repair/ });
  await expect(silence).toContainText("instance=sn-7");
  await silence.getByRole("button", { name: "End" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End" }).click();
  await expect(page.getByText("Nothing is silenced")).toBeVisible();

  await prefer(page, { language: "zh", theme: "dark" });
  await page.goto("/alerts?tab=rules");
  await expect(page.getByText("坏机器", { exact: true }).first()).toBeVisible();
  await accessible(page);
});
