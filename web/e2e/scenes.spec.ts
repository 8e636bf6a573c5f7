import type { Page } from "@playwright/test";
import { accessible, expect, test } from "./console";

const shots = process.env.ALLSPARK_SHOTS;

// A scene of the demo begins at 300 ms; a run before may have left it elsewhere.
async function targetOf(page: Page, target: string) {
  await page.evaluate(async (target) => {
    const got = await fetch("/api/v1/scenes/k2");
    if (((await got.json()) as { target: string }).target === target) return;
    await fetch("/api/v1/scenes/k2/target", {
      method: "PUT",
      headers: { "If-Match": got.headers.get("ETag")!, "Content-Type": "application/json" },
      body: JSON.stringify({ target, reason: "where the demo begins" }),
    });
  }, target);
}

test("a target of 300 ms becomes 160: what it will be, preset, hold, hand-over, RT within 15 %", async ({
  page,
}) => {
  await page.goto("/scenes");
  await targetOf(page, "300ms");
  await page.getByRole("link", { name: "k2" }).first().click();
  const phase = page.getByRole("region", { name: /Phase|阶段/ });
  const tile = (label: RegExp) => page.locator(".tile").filter({ hasText: label });
  // What is aimed at, or a step of the RT gear below it, if the demo was overloaded lately.
  await expect(tile(/^(Target|目标RT)/).locator(".value")).toHaveText(/^(300|260|220|190) ms/, {
    timeout: 60_000,
  });
  await expect(tile(/^(Row|表行)/)).toContainText(/table \d|第 \d+ 号表/, { timeout: 60_000 });
  await expect(phase).toContainText(/feedback|反馈/, { timeout: 60_000 });
  await page.getByRole("button", { name: /Change target|修改目标/ }).click();
  const dialog = page.getByRole("dialog");
  const target = dialog.getByRole("textbox").first();

  // A target that the table does not reach is allowed, and said before it is pushed.
  await target.fill("20");
  await expect(dialog).toContainText(
    "20ms lies outside the table's targets 80..400 ms and gets the nearest row",
  );
  await expect(
    dialog.getByText(/outside the table: it gets the nearest row|超出分配表，取最近的行/),
  ).toBeVisible();
  // What is no target is refused.
  await target.fill("soon");
  await expect(dialog).toContainText('target wants a duration like "160ms", got "soon"');
  await dialog.getByRole("textbox").last().fill("the front end asks for it");
  await expect(dialog.getByRole("button", { name: /Push|下发/ })).toBeDisabled();

  await target.fill("160");
  await expect(dialog.getByRole("status")).toContainText(/row 160 ms: effect|160 ms 行：效果/);
  await expect(dialog).toContainText("260ms, 220ms, 190ms"); // steps that no longer lie below it
  if (shots) await page.screenshot({ path: `${shots}/scene-target.png` });
  await accessible(page);
  await dialog.getByRole("button", { name: /Push|下发/ }).click();

  await expect(phase).toContainText(/160ms/, { timeout: 10_000 });
  await expect(phase.getByRole("progressbar")).toBeVisible();
  await expect(tile(/^(Target|目标RT)/).locator(".value")).toHaveText(/160 ms/);
  await expect(tile(/^(RT gear|RT档位)/).locator(".value")).toHaveText(/1 of \d|1 \/ \d/);
  await expect(tile(/^(Row|表行)/).locator(".value")).toHaveText(/160 ms/);
  if (shots) await page.screenshot({ path: `${shots}/scene-preset.png` });
  const actual = tile(/^(Actual RT|实际RT)/).locator(".value");
  const near = () =>
    expect
      .poll(async () => Math.abs(parseFloat((await actual.innerText()).replace(/[^\d.]/g, "")) / 160 - 1), {
        timeout: 60_000,
      })
      .toBeLessThan(0.15);
  await near();
  await expect(phase).toContainText(/Handed over|已移交/, { timeout: 60_000 });
  await near();
  await accessible(page);
});

test("time is split among the points, and the front end's timeouts stand beside the gear", async ({
  page,
}) => {
  interface History {
    at: string[];
    effective_ms: number[];
    step: number[];
    front: { count: number[] };
  }
  const told: Promise<History>[] = [];
  page.on("response", (r) => {
    if (r.url().includes("/api/v1/scenes/k2/history")) told.push(r.json() as Promise<History>);
  });
  await page.goto("/scenes/k2?tab=split");
  await expect(page.getByRole("img", { name: /^(Split|RT拆分)$/ }).locator("canvas")).toBeVisible();
  await expect(
    page.getByRole("img", { name: /Front-end timeouts and RT gear|前端超时率与RT档位/ }).locator("canvas"),
  ).toBeVisible();
  await page.getByRole("combobox", { name: /Span of the charts|图表跨度/ }).selectOption("60");
  // Of each minute it is told what was aimed at and in which gear, whoever had this page open then.
  await expect.poll(() => told.length).toBeGreaterThanOrEqual(2);
  const h = await told.at(-1)!;
  expect(h.effective_ms).toHaveLength(h.at.length);
  expect(h.effective_ms.every((ms) => ms > 0) && h.step.every((n) => n >= 1)).toBe(true);
  const now = await page.evaluate(async () => {
    const got = await fetch("/api/v1/scenes/k2");
    return ((await got.json()) as { target: string }).target;
  });
  const aim = h.effective_ms.at(-1)!; // the target, or less in a gear below the first
  expect(aim).toBeLessThanOrEqual(parseFloat(now));
  expect(aim === parseFloat(now)).toBe(h.step.at(-1) === 1);
  if (shots) await page.screenshot({ path: `${shots}/scene-split.png`, fullPage: true });
  await accessible(page);
});

test("the link view shows every node in both IDCs, as a graph and as a table", async ({ page }) => {
  await page.goto("/scenes/k2");
  const figure = page.getByRole("figure", { name: /Link|链路/ });
  await expect(figure.getByText("sn/recall")).toBeVisible();
  if (shots) await page.screenshot({ path: `${shots}/scene-link.png` });
  await page.goto("/scenes/k2?tab=table");
  const table = page.getByRole("table");
  for (const idc of ["sh", "zjk"])
    await expect(
      table.getByRole("row").filter({ hasText: "sn/recall" }).filter({ hasText: idc }),
    ).toBeVisible();
  if (shots) await page.screenshot({ path: `${shots}/scene-table.png` });
});

test("the what-if slider shows another row of the table, and stages it as the target", async ({ page }) => {
  await page.goto("/scenes/k2?tab=allocation");
  const slider = page.getByRole("slider");
  const before = await page.getByRole("table").first().innerText();
  const stage = page.getByRole("button", { name: /^Set \d+ ms as target$|^将目标设为/ });
  await expect(stage).toBeDisabled(); // it is the target
  await slider.focus();
  await slider.press("ArrowRight"); // from here on it no longer follows the scene
  const start = Number(await slider.getAttribute("aria-valuenow"));
  for (let i = 0; i < 40; i++) await slider.press("ArrowRight");
  await expect.poll(() => page.getByRole("table").first().innerText()).not.toBe(before);
  if (shots) await page.screenshot({ path: `${shots}/scene-allocation.png`, fullPage: true });
  await accessible(page);
  await stage.click();
  const dialog = page.getByRole("dialog");
  await expect(dialog.getByRole("textbox").first()).toHaveValue(`${start + 40}ms`);
  await dialog.getByRole("button", { name: /Cancel|取.?消/ }).click();
});

test("a rebuilt table is compared with the one before, and exported", async ({ page }) => {
  await page.goto("/scenes/k2?tab=allocation");
  const compare = page.getByRole("combobox", { name: /Compare with table|对比分配表/ });
  await expect(compare).toBeVisible({ timeout: 60_000 });
  const had = await compare.locator("option").count();
  await page.getByRole("button", { name: /^(Rebuild|重.?建)$/ }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("to compare");
  await dialog.getByRole("button", { name: /^(Rebuild|重.?建)$/ }).click();
  await expect(dialog).toBeHidden();
  await expect.poll(() => compare.locator("option").count()).toBeGreaterThan(had);
  await expect(
    page
      .getByRole("table", { name: /^(Tables|分配表)$/ })
      .getByText(/asked for by admin/)
      .first(),
  ).toBeVisible();
  await compare.selectOption({ index: 1 });
  await expect(page.getByRole("heading", { name: /^# \d+ → # \d+: / })).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: /CSV$/ }).first().click();
  expect((await download).suggestedFilename()).toMatch(/^allspark-k2-\d+\.csv$/);
});

test("an edge of the graph is removed and saved as a new version", async ({ page }) => {
  await page.goto("/scenes/feeds?tab=graph");
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
