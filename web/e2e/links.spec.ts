import type { Page } from "@playwright/test";
import { accessible, accessibleInBoth, call, expect, test } from "./console";

const shots = process.env.ALLSPARK_SHOTS;
const shot = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
};
const figure = (page: Page, title: RegExp) => page.getByRole("figure", { name: title });

test("two IDCs stand side by side, a node is found, and a click leads to its point", async ({ page }) => {
  await page.goto("/links?scene=k2&idc=sh");
  const sh = figure(page, /sh · now/);
  const node = sh.locator(".scene-node").filter({ hasText: "sn/recall" });
  await expect(node).toContainText(/\d \/ 100/); // its level
  await expect(node).toContainText(/\d ms/);
  await expect(node).toContainText(/Source/);
  await expect(sh.locator(".react-flow__edge-text").first()).toHaveText(/\d\/s/);
  await accessible(page);
  await shot(page, "links-one");

  await page.getByLabel("Compare with").selectOption("idc:zjk");
  await expect(page).toHaveURL(/with=idc/);
  const zjk = figure(page, /zjk · now/);
  await expect(zjk.locator(".scene-node").filter({ hasText: "sn/recall" })).toContainText(/\d ms/);
  for (const f of [sh, zjk]) {
    // Halving the first picture fits its graph again: every node stands within it.
    const box = (await f.boundingBox())!;
    await expect
      .poll(async () =>
        f.locator(".scene-node").evaluateAll(
          (nodes, { x, y, width, height }) =>
            nodes.filter((n) => {
              const r = n.getBoundingClientRect();
              return r.left >= x && r.right <= x + width && r.top >= y && r.bottom <= y + height;
            }).length,
          box,
        ),
      )
      .toBe(8);
  }
  await accessible(page);
  await shot(page, "links-two-idcs");

  await page.getByLabel("Find a node").pressSequentially("rank"); // letter by letter, as a hand does
  for (const f of [sh, zjk]) {
    await expect(f.locator(".scene-node.found")).toHaveCount(2); // rank and prerank
    await expect(f.locator(".scene-node.faded").first()).toBeVisible();
  }
  await accessible(page);
  await shot(page, "links-found");
  await page.reload(); // the address is the page
  await expect(page.getByLabel("Find a node")).toHaveValue("rank");
  await expect(zjk.locator(".scene-node.found")).toHaveCount(2);

  await zjk.getByRole("link", { name: "sn/rank" }).click();
  await expect(page).toHaveURL(/\/points\/k2\/zjk\/sn\/rank$/);
  await expect(page.getByTestId("why-summary")).toBeVisible();
  await page.goBack();
  await expect(page).toHaveURL(/\/links\?.*q=rank/); // one step back, not two
  await sh.locator(".scene-node").filter({ hasText: "sn/prerank" }).locator("dl").click();
  await expect(page).toHaveURL(/\/points\/k2\/sh\/sn\/prerank$/);
});

test("the table twin sorts, compares and leads to the point by keyboard", async ({ page }) => {
  await page.goto("/links?scene=k2&idc=sh&with=idc:zjk&view=table");
  const table = page.getByRole("table");
  const row = table.getByRole("row").filter({ hasText: "sn/recall" });
  await expect(row).toContainText(/[+−]\d+ %/); // how far B is off A
  await expect(table.getByRole("row")).toHaveCount(9); // eight nodes and the head
  await accessible(page);
  await shot(page, "links-table");
  await table.getByRole("columnheader", { name: "RT A" }).click();
  const sorted = async () => {
    const rts = await table
      .locator("tbody tr td:nth-child(4)")
      .evaluateAll((cells) => cells.map((c) => parseFloat(c.textContent ?? "")));
    return rts.length === 8 && rts.every((v, i) => i === 0 || rts[i - 1]! >= v);
  };
  await expect.poll(sorted).toBe(true);
  await page.getByLabel("Find a node").fill("score");
  await expect(table.getByRole("row")).toHaveCount(2);
  await table.getByRole("link", { name: "model/score" }).focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/points\/k2\/sh\/model\/score$/);
});

test("the slider goes back through the minutes, and the address keeps the moment", async ({ page }) => {
  test.setTimeout(300_000);
  await page.goto("/links?scene=k2&idc=sh");
  // A minute must have been closed and written before it can be looked at.
  await expect
    .poll(
      async () => {
        const at = new Date(Math.floor(Date.now() / 60_000 - 2) * 60_000).toISOString();
        const s = await call<{ links?: unknown[] }>(page, "GET", `/scenes/k2/live?at=${at}`).catch(() => ({
          links: [],
        }));
        return s.links?.length ?? 0;
      },
      { timeout: 240_000, intervals: [3_000] },
    )
    .toBeGreaterThan(0);
  const slider = page.getByRole("slider", { name: "Moment" });
  await slider.focus();
  await page.keyboard.press("ArrowLeft");
  await expect(page).toHaveURL(/[?&]at=/);
  await expect(
    figure(page, /sh · .*\d\d:\d\d/)
      .locator(".scene-node")
      .first(),
  ).toBeVisible();
  await accessible(page);
  await shot(page, "links-past");
  // Beside now: two moments of one IDC.
  await page.getByLabel("Compare with").selectOption("at");
  await expect(page.getByLabel("The other moment")).toBeVisible();
  await shot(page, "links-two-moments");
  await page.getByRole("button", { name: "Now" }).click();
  await expect(page).not.toHaveURL(/[?&]at=/);
  // A minute of which nothing is known says so.
  await page.goto("/links?scene=k2&idc=sh&at=2020-01-01T00:00:00Z");
  await expect(page.getByText("Nothing was measured here then")).toBeVisible();
  await accessible(page);
});

test("links are accessible in both languages and themes", async ({ page }) => {
  for (const [name, path] of [
    ["one", "/links?scene=k2"],
    ["two", "/links?scene=feeds&with=idc:zjk&q=rank"],
    ["table", "/links?scene=k2&with=idc:zjk&view=table"],
  ] as const) {
    await page.goto(path);
    await expect(page.locator(".scene-node, tbody tr").first()).toBeVisible();
    await accessibleInBoth(page, (look) => shot(page, `links-${name}-${look}`));
  }
});
