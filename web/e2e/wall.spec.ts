import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import { accessible, address, call, expect, prefer, test } from "./console";
import { freePort, launch } from "./server";

const shots = process.env.ALLSPARK_SHOTS;
const shot = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
};

/** Makes a wall link in the console and gives the address that is shown once. */
async function makeLink(page: Page, name: string): Promise<string> {
  await page.goto("/");
  await page.getByRole("button", { name: "Wall link" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByPlaceholder(/Why/).fill("screen in the hall");
  await accessible(page);
  await dialog.getByRole("button", { name: "Create" }).click();
  const url = (await page.getByTestId("wall-link").innerText()).trim();
  expect(url).toMatch(/\/wall#key=ask_/);
  return url;
}

const stranger = (page: Page) =>
  page
    .context()
    .browser()!
    .newContext({ baseURL: address(), viewport: { width: 1920, height: 1080 }, locale: "en-GB" });

/** What is wider than its place, so that a figure runs into its neighbour. */
const overflowing = (page: Page) =>
  page
    .locator(".wall-link, .wall-scene")
    .evaluateAll((all: Element[]) =>
      all.filter((e) => e.scrollWidth > e.clientWidth + 1).map((e) => e.className),
    );

/** Calls the API as the screen does. */
const asScreen = (context: BrowserContext, url: string, method: string, path: string) =>
  context.request.fetch(`${new URL(url).origin}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${new URLSearchParams(new URL(url).hash.slice(1)).get("key")}` },
    data: method === "GET" ? undefined : {},
  });

test("a wall link opens without a sign-in, shows the scenes, may do nothing else, and ends when it is revoked", async ({
  page,
}) => {
  const name = `hall-${Date.now() % 10_000_000}`;
  const url = await makeLink(page, name);
  await shot(page, "wall-link");
  const hall = await stranger(page);
  try {
    const screen = await hall.newPage();
    await screen.goto(url);
    const wall = screen.getByRole("main");
    for (const scene of ["k2", "feeds"]) {
      const region = wall.getByRole("region", { name: scene });
      await expect(region).toBeVisible();
      for (const idc of ["sh", "zjk"]) {
        const link = region.locator(".wall-link").filter({ hasText: idc });
        await expect(link.locator(".wall-figure")).toHaveText(/\d.* ms \/ \d+ ms/);
        await expect(link).toContainText("CPU");
      }
    }
    await expect(wall).toContainText("connected");
    await expect(wall.locator(".wall-state.ok")).toBeVisible();
    // Nothing on it can be pressed, and no figure runs into its neighbour.
    await expect(wall.locator("a, button, input, select")).toHaveCount(0);
    expect(await overflowing(screen)).toEqual([]);
    await accessible(screen);
    await shot(screen, "wall-en-light");

    // The key reads the wall; elsewhere it is refused, and so is every write.
    expect((await asScreen(hall, url, "GET", "/wall")).status()).toBe(200);
    for (const [method, path] of [
      ["GET", "/points"],
      ["GET", "/agents"],
      ["GET", "/templates"],
      ["GET", "/audit"],
      ["GET", "/alerts"],
      ["GET", "/users"],
      ["POST", "/claims"],
      ["POST", "/tokens"],
    ] as const)
      expect((await asScreen(hall, url, method, path)).status(), `${method} ${path}`).toBe(403);
    await screen.goto(`${address()}/points`);
    await expect(screen.locator("input[name=password]")).toBeVisible();
    await screen.goto(url);
    await expect(wall.locator(".wall-figure").first()).toBeVisible();

    await page.getByRole("dialog").getByRole("link").click();
    await expect(page).toHaveURL(/settings\?tab=tokens/);
    const row = page.getByRole("row", { name: new RegExp(name) });
    await row.getByRole("button", { name: "Revoke" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByPlaceholder(/Why/).fill("the screen is gone");
    await dialog.getByRole("button", { name: "Revoke" }).click();
    await expect(screen.getByRole("status")).toHaveText("This link has expired or was revoked", {
      timeout: 60_000,
    });
    await expect(wall.locator(".wall-figure")).toHaveCount(0); // nothing is left to read
    expect((await asScreen(hall, url, "GET", "/wall")).status()).toBe(401);
    await accessible(screen);
    await shot(screen, "wall-revoked");
  } finally {
    await hall.close();
  }
});

test("the picture moves by the minute, so that no pixel burns in", async ({ page }) => {
  await page.clock.install({ time: new Date("2026-11-11T00:00:30+08:00") });
  await page.goto("/wall");
  const picture = page.locator(".wall-picture");
  const at = async () => [await picture.getAttribute("data-shift"), (await picture.boundingBox())!.x];
  await expect(picture).toHaveAttribute("data-shift", /./);
  const seen = [await at()];
  for (let minute = 0; minute < 2; minute++) {
    await page.clock.fastForward(60_000);
    await expect.poll(async () => (await at())[0]).not.toBe(seen.at(-1)![0]);
    seen.push(await at());
  }
  expect(new Set(seen.map(([, x]) => x)).size).toBeGreaterThan(1); // it moves, not only its name
});

test("in both languages and themes the wall is legible and without violation", async ({ page }) => {
  await page.goto("/");
  for (const [language, theme] of [
    ["zh", "dark"],
    ["en", "light"],
  ] as const) {
    await page.goto("/");
    await prefer(page, { language, theme });
    for (const [width, height] of [
      [1920, 1080],
      [1280, 720],
    ] as const) {
      await page.setViewportSize({ width, height });
      await page.goto("/wall");
      await expect(page.locator(".wall-figure").first()).toBeVisible();
      expect(await overflowing(page), `${language} ${theme} ${width}`).toEqual([]);
      const foot = (await page.locator(".wall footer").boundingBox())!;
      expect(foot.y + foot.height).toBeLessThanOrEqual(height); // nobody scrolls it
      expect(foot.x + foot.width).toBeLessThanOrEqual(width);
      // Nor if all three alerts that it names at most stood now.
      const lowest = await page.locator(".wall footer").evaluate((footer) => {
        const alerts = footer.querySelectorAll("section")[1]!;
        const lines = Array.from({ length: 4 - alerts.querySelectorAll("p").length }, () => {
          const line = document.createElement("p");
          line.textContent = "⚠ capacity: feature/sh fetch";
          return alerts.appendChild(line);
        });
        const { bottom } = footer.getBoundingClientRect();
        lines.forEach((line) => line.remove());
        return bottom;
      });
      expect(lowest).toBeLessThanOrEqual(height);
      // Read from across a room: the figure that matters is a twentieth of the screen.
      const size = await page
        .locator(".wall-scene .wall-figure")
        .first()
        .evaluate((e) => parseFloat(getComputedStyle(e).fontSize));
      expect(size).toBeGreaterThan(height / 20);
      await shot(page, `wall-${language}-${theme}-${width}`);
    }
    await accessible(page);
    await page.setViewportSize({ width: 1440, height: 900 });
  }
});

// A controller of its own, which is stopped and comes back at the same address.
test("a screen that nobody touches says since when it is stale, and comes back by itself", async ({
  browser,
}) => {
  test.setTimeout(180_000);
  const data = mkdtempSync(join(tmpdir(), "allspark-e2e-"));
  let server = await launch("serve", data);
  const context = await browser.newContext({ baseURL: server.url, locale: "en-GB" });
  try {
    const page = await context.newPage();
    await signInAt(page, server.url, server.password);
    const { secret } = await call<{ secret: string }>(page, "POST", "/tokens", {
      name: "hall",
      grants: [{ role: "viewer", app: "*", idc: "*", verb: "wall" }],
      for: "24h",
      reason: "screen in the hall",
    });
    await context.clearCookies();
    await page.goto(`/wall#key=${encodeURIComponent(secret)}`);
    const wall = page.getByRole("main");
    await expect(wall).toContainText("No scene has traffic here"); // an empty controller says so
    await expect(wall.locator(".wall-state.ok")).toBeVisible();
    await accessible(page);
    await shot(page, "wall-empty");
    await page.evaluate(() => ((window as unknown as { same: boolean }).same = true));

    const http = Number(new URL(server.url).port);
    await server.stop("SIGKILL");
    await expect(page.getByRole("status")).toHaveText(/Stale since \d\d:\d\d:\d\d/i);
    await expect(wall).toContainText("No scene has traffic here"); // the last values stay
    await accessible(page);
    await shot(page, "wall-stale");

    server = await launch("serve", data, { http, grpc: await freePort() });
    await expect(wall.locator(".wall-state.ok")).toBeVisible();
    await expect(page.getByRole("status")).toHaveCount(0);
    expect(await page.evaluate(() => (window as unknown as { same?: boolean }).same)).toBe(true);
  } finally {
    await context.close();
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
});

async function signInAt(page: Page, url: string, password: string) {
  await page.goto(`${url}/sign-in`);
  await page.locator("input[name=name]").fill("admin");
  await page.locator("input[name=password]").fill(password);
  await page.locator("button[type=submit]").click();
  await expect(page.getByRole("navigation").first()).toBeVisible();
}
