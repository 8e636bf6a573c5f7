import { accessible, accessibleInBoth, expect, test } from "./console";

interface Group {
  version: number;
  description: string;
  settings: Record<string, unknown> & { total_quota: number; ki: number };
  status: { state: string; base: number; arrivals: number };
}

// The rank of the demo's search nodes runs under a group whose budget binds.
test("gains are tried on the group's traffic, saved, and the base quota answers", async ({ page }) => {
  test.setTimeout(240_000);
  const path = "/api/v1/quota-groups/rank";
  const read = async () => (await (await page.request.get(path)).json()) as Group;
  await expect
    .poll(async () => (await read()).status.state === "live" && (await read()).status.arrivals > 0, {
      timeout: 60_000,
    })
    .toBe(true);

  await page.goto("/quota");
  await page.getByRole("link", { name: "rank" }).click();
  await expect(page.getByRole("img", { name: "Base quota" })).toBeVisible({ timeout: 30_000 });
  await accessible(page);
  const before = await read();

  await page.getByRole("tab", { name: "Tuner" }).click();
  await page.getByLabel("Traffic").selectOption("step");
  const answer = page.waitForResponse(
    (r) => r.url().endsWith("/simulate") && r.request().postData()!.includes('"ki":1.5'),
  );
  await page.getByLabel("Ki").fill("fast");
  await expect(page.getByText("wants a number 0–100")).toBeVisible();
  await expect(page.getByRole("button", { name: "Save…" })).toBeDisabled();
  await page.getByLabel("Ki").fill("1.5");
  await page.getByLabel("Total quota").fill(String(before.settings.total_quota / 2));
  const simulated = (await (await answer).json()) as { now: unknown[]; tried: unknown[] };
  expect(simulated.tried.length).toBe(simulated.now.length);
  const responses = page.getByRole("table", { name: "Simulated response" });
  await expect(responses.getByRole("row", { name: /^tried/ })).toBeVisible();
  await expect(page.getByText("2 changes")).toBeVisible();
  expect((await read()).version).toBe(before.version); // trying saves nothing
  await accessible(page);

  await page.keyboard.press("Control+s");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Reason").fill("half the machines leave");
  await dialog.getByRole("button", { name: "Save" }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(async () => (await read()).settings.ki).toBe(1.5);

  // Half the budget on the same traffic is about half the base.
  const per = (g: Group) => (g.status.base * g.status.arrivals) / before.settings.total_quota;
  await expect.poll(async () => per(await read()), { timeout: 30_000 }).toBeLessThan(0.75);
  await page.getByRole("tab", { name: "Now" }).click();
  await expect(page.getByText(/of 20.000 in 1s/)).toBeVisible();

  const audit = await page.request.get("/api/v1/audit?kind=quota-group&limit=20");
  expect(await audit.text()).toContain("half the machines leave");

  // Another's write meets ours: it is shown, and our change can be put on theirs.
  await page.getByRole("tab", { name: "Settings" }).click();
  await page.getByLabel("Greatest quota").fill("280");
  const saved = await read();
  const { settings } = saved;
  const other = await page.request.put(path, {
    headers: { "If-Match": `"${saved.version}"` },
    data: {
      name: "rank",
      description: saved.description,
      enabled: true,
      members: [{ scene: "*", idc: "*", app: "sn", point: "rank" }],
      settings: { ...settings, total_quota: before.settings.total_quota, ki: 0 },
      reason: "back again",
    },
  });
  expect(other.status()).toBe(200);
  const clash = page.getByRole("alert").filter({ hasText: "Somebody else changed it" });
  await expect(clash).toContainText("Total quota");
  await accessible(page);
  await clash.getByRole("button", { name: "Put my changes on theirs" }).click();
  await expect(page.getByText("1 change", { exact: true })).toBeVisible();
  await page.getByRole("button", { name: "Discard" }).click();
  await expect(page.getByLabel("Total quota")).toHaveValue(String(before.settings.total_quota));

  await page.getByRole("tab", { name: "Calibrator" }).click();
  await expect(
    page.getByRole("main").or(page.locator(".page")).getByText("Consumed quota against CPU").first(),
  ).toBeVisible();
  await accessible(page);
});

test("every view of a group is accessible in both languages and themes", async ({ page }) => {
  test.setTimeout(120_000);
  for (const path of [
    "",
    "/rank",
    "/rank?tab=tune",
    "/rank?tab=calibrate",
    "/rank?tab=settings",
    "/nowhere",
  ]) {
    await page.goto(`/quota${path}`);
    await expect(page.locator(".page h1, .page strong").first()).toBeVisible();
    await expect(page.locator(".skeleton")).toHaveCount(0, { timeout: 20_000 });
    await accessibleInBoth(page);
  }
});
