import { accessible, expect, prefer, test } from "./console";

interface Claims {
  items: { source: string; origin: string; scope: { bucket?: string } }[];
}

// The demo's users have keys: half of them are recalled with less work.
test("an experiment is drafted, started, measured and stopped, and its claims go", async ({ page }) => {
  test.setTimeout(300_000);
  const name = `less-recall-${Date.now()}`;
  const claims = async () => {
    const all = (await (
      await page.request.get("/api/v1/claims?active=true&app=sn&point=recall&limit=500")
    ).json()) as Claims;
    return all.items.filter((c) => c.source === "experiment");
  };

  await page.goto("/experiments");
  await page.getByRole("button", { name: "New experiment" }).first().click();
  const dialog = page.getByRole("dialog");
  const create = dialog.getByRole("button", { name: "Create" });
  await dialog.getByLabel("Name").fill("two words");
  await expect(dialog.getByText("letters, digits, . _ - only").first()).toBeVisible();
  await expect(create).toBeDisabled();
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByLabel("App", { exact: true }).fill("sn");
  await dialog.getByLabel("Point", { exact: true }).fill("recall");
  await dialog.getByLabel("Measured app").fill("frontend");
  await dialog.getByLabel("Measured point").fill("entry");
  await dialog.getByLabel("Duration").fill("20m");
  await dialog.getByLabel("Begin with").selectOption({ label: "dynamic on / off" });
  await dialog.getByLabel("Arm 1", { exact: true }).fill("as-it-is");
  await dialog.getByLabel("Arm 2", { exact: true }).fill("less");
  await dialog.getByLabel("Level 2").fill("");
  await expect(dialog.getByText("fixed needs a level")).toBeVisible();
  await dialog.getByLabel("Level 2").fill("20");
  await dialog.getByLabel("Share % 2").fill("50.01");
  await expect(dialog.getByText("more than 100 %")).toBeVisible();
  await expect(create).toBeDisabled();
  await dialog.getByLabel("Share % 2").fill("50");
  await dialog.getByLabel("Reason").fill("what is recall worth?");
  await accessible(page);
  await create.click();

  await expect(page.getByRole("heading", { name })).toBeVisible();
  await expect(page.getByText("A draft changes nothing")).toBeVisible();
  expect(await claims()).toEqual([]);

  // The draft is edited as it was written; what others save meanwhile is not written over unasked.
  const meanwhile = async (duration: string) => {
    const at = `/api/v1/experiments/${name}`;
    const now = (await (await page.request.get(at)).json()) as { version: number } & Record<string, unknown>;
    const put = await page.request.put(at, {
      headers: { "If-Match": `"${now.version}"` },
      data: {
        ...Object.fromEntries(["name", "scope", "measure", "arms"].map((k) => [k, now[k]])),
        reason: "a colleague's",
        duration,
      },
    });
    expect(put.status()).toBe(200);
  };
  const save = dialog.getByRole("button", { name: "Save" });
  await page.getByRole("button", { name: "Edit", exact: true }).click();
  await expect(dialog.getByLabel("Arm 2", { exact: true })).toHaveValue("less");
  await expect(dialog.getByLabel("Reason")).toHaveValue("what is recall worth?");
  await dialog.getByLabel("Level 2").fill("20.5");
  await expect(dialog.getByText("a whole number 1–100").first()).toBeVisible();
  await expect(save).toBeDisabled();
  await dialog.getByLabel("Level 2").fill("30");
  await meanwhile("40m");
  await save.click();
  await expect(dialog.getByRole("alert")).toContainText("Somebody else changed it meanwhile");
  await expect(dialog.getByRole("alert")).toContainText("40m");
  await accessible(page);
  await dialog.getByRole("button", { name: "Take theirs" }).click();
  await expect(dialog.getByLabel("Duration")).toHaveValue("40m");
  await expect(dialog.getByLabel("Level 2")).toHaveValue("20");
  await dialog.getByLabel("Duration").fill("20m");
  await dialog.getByLabel("Reason").fill("what is recall worth?");
  await meanwhile("50m");
  await save.click();
  await dialog.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("20m", { exact: true })).toBeVisible();
  await expect(page.getByText("what is recall worth?")).toBeVisible();

  await page.getByRole("button", { name: "Start", exact: true }).click();
  await dialog.getByLabel("Reason").fill("go");
  await dialog.getByRole("button", { name: "Start", exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("running", { exact: true })).toBeVisible();
  await expect.poll(async () => (await claims()).length).toBe(4);

  // A second one on the same requests is refused.
  const draft = {
    reason: "a rival",
    scope: { app: "sn", point: "recall" },
    measure: { app: "frontend", point: "entry" },
    duration: "1h",
    arms: [
      { name: "a", share: 50 },
      { name: "b", share: 50 },
    ],
  };
  const rival = await page.request.post("/api/v1/experiments", { data: { name: `${name}-rival`, ...draft } });
  expect(rival.status()).toBe(201);
  const refused = await page.request.post(`/api/v1/experiments/${name}-rival/start`, {
    data: { reason: "me too" },
  });
  expect(refused.status()).toBe(409);

  // Figures of both arms arrive, and the lift with its interval.
  const table = page.getByRole("table", { name: "Arms against the control" });
  const row = table.getByRole("row", { name: /^less/ });
  await expect(row.getByText(/ … /).first()).toBeVisible({ timeout: 120_000 });
  await expect(row).toContainText("fixed, level 20");
  // The arm's level where it acts, and less of it: both come from reports by bucket.
  await expect(row.getByRole("cell", { name: "20.0", exact: true })).toBeVisible({ timeout: 60_000 });
  await expect(page.getByText(/Sample ratio: p = /)).toBeVisible();
  await expect(page.getByRole("alert")).toHaveCount(0); // no mismatch
  await expect(page.getByRole("img", { name: /Lift of value over as-it-is/ })).toBeVisible();
  // The whole comparison is in sight.
  const box = page.getByRole("region", { name: "Arms against the control" });
  expect(await box.evaluate((el) => el.scrollWidth - el.clientWidth)).toBe(0);
  await accessible(page);
  await page.getByLabel("Metric").selectOption("timeouts");
  await expect(page.getByRole("img", { name: "Timeouts" })).toBeVisible();
  if (process.env.SHOTS) {
    await page.screenshot({ path: `${process.env.SHOTS}/experiment.png`, fullPage: true });
    await prefer(page, { theme: "dark", language: "zh" });
    await page.screenshot({ path: `${process.env.SHOTS}/experiment-dark-zh.png`, fullPage: true });
    await prefer(page, { theme: "light", language: "en" });
  }

  await page.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(dialog.getByRole("button", { name: "Stop", exact: true })).toBeDisabled(); // it wants a reason
  await dialog.getByLabel("Reason").fill("seen enough");
  await dialog.getByRole("button", { name: "Stop", exact: true }).click();
  await expect(page.getByText("ended", { exact: true })).toBeVisible();
  await expect(page.getByText("seen enough")).toBeVisible();
  await expect.poll(async () => (await claims()).length).toBe(0);
  await expect(row.getByText(/ … /).first()).toBeVisible(); // what was found stays

  await page.goto("/experiments?state=ended");
  await expect(page.getByRole("link", { name, exact: true })).toBeVisible();
});
