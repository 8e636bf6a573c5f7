import { call, expect, fill, fresh, shoot, test } from "./console";

test("a new scene is made: drawn, given profiles, given its first table, and aimed", async ({ page }) => {
  const name = fresh("story");
  const tab = (label: string) => page.getByRole("tab", { name: label, exact: true }).click();
  await page.goto("/scenes/new");
  await fill(page, { Scene: name, Target: "200", "Front-end limit": "700ms", Front: "frontend/entry" });
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(new RegExp(`/scenes/${name}\\?tab=graph`));

  // Each page says what is lacking, and leads there.
  await tab("Link");
  await page.getByRole("button", { name: "Draw the graph" }).click();
  const group = page.getByRole("group", { name: "Add node" });
  for (const point of ["recall", "prerank"]) {
    await group.getByLabel("App", { exact: true }).fill("sn");
    await group.getByLabel("Point", { exact: true }).fill(point);
    await group.getByRole("button", { name: "Add node" }).click();
  }
  const edges = page.getByRole("region", { name: "Edges" });
  await edges.getByLabel("From").selectOption("sn/recall");
  await edges.getByLabel("To").selectOption("sn/prerank");
  await edges.getByRole("button", { name: "Add edge" }).click();
  await page.getByRole("button", { name: "Save graph" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("the two that matter");
  await page.getByRole("dialog").getByRole("button", { name: "Save graph" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await shoot(page, "story-graph");

  await tab("Allocation");
  await shoot(page, "story-no-table");
  await page.getByRole("button", { name: "Show the profiles" }).click();
  await shoot(page, "story-no-profiles");
  const dialog = page.getByRole("dialog");
  for (const point of ["sn/recall", "sn/prerank"]) {
    await page
      .getByRole("button", { name: `Upload a profile of ${point}` })
      .first()
      .click();
    const levels = Array.from(
      { length: 100 },
      (_, i) => `${i + 1},${20 + i},${40 + i},${1 + i},${(i + 1) / 100}`,
    );
    await dialog
      .getByRole("textbox", { name: "Document" })
      .fill(`level,p50,p99,work,effect\n${levels.join("\n")}\n`);
    await dialog.getByRole("textbox", { name: "Reason" }).fill("measured by hand");
    await dialog.getByRole("button", { name: "Upload" }).click();
    await expect(dialog).toBeHidden();
  }
  await shoot(page, "story-profiles");

  await tab("Allocation");
  await page.getByRole("button", { name: "Rebuild", exact: true }).click();
  await dialog.getByRole("textbox").fill("the profiles are there");
  await dialog.getByRole("button", { name: "Rebuild" }).click();
  await expect(page.getByRole("slider")).toBeVisible();
  await shoot(page, "story-table");
  await page.getByRole("button", { name: "Change target" }).click();
  await dialog.getByRole("textbox").first().fill("120");
  await expect(dialog.getByRole("status")).toContainText("row 120 ms");
  await dialog.getByRole("textbox").last().fill("first of its own");
  await dialog.getByRole("button", { name: "Push" }).click();
  await expect(dialog).toBeHidden();
  await expect
    .poll(() => call<object>(page, "GET", `/scenes/${name}`))
    .toMatchObject({ version: 3, target: "120ms" });
  const left = await page.evaluate(async (name) => {
    const etag = (await fetch(`/api/v1/scenes/${name}`)).headers.get("ETag")!;
    return (await fetch(`/api/v1/scenes/${name}`, { method: "DELETE", headers: { "If-Match": etag } }))
      .status;
  }, name);
  expect(left).toBe(204);
});
