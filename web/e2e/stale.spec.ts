import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { accessible, expect, test } from "./console";
import { freePort, launch } from "./server";

// A controller of its own: an empty one, which is stopped and comes back at the same address.
test("empty pages say what to do; a stopped server leaves the last values, marked stale, and recovery needs no reload", async ({
  browser,
}) => {
  test.setTimeout(120_000);
  const data = mkdtempSync(join(tmpdir(), "allspark-e2e-"));
  let server = await launch("serve", data);
  const context = await browser.newContext({ baseURL: server.url, locale: "en-GB" });
  try {
    const page = await context.newPage();
    await page.goto("/sign-in");
    await page.locator("input[name=name]").fill("admin");
    await page.locator("input[name=password]").fill(server.password);
    await page.locator("button[type=submit]").click();
    await expect(page.locator(".live")).toHaveText("Live");

    for (const [path, says] of [
      ["/points", "No point yet"],
      ["/agents", /No agent/],
      ["/changes", "No change in this time"],
      ["/templates", /No template/],
      ["/bindings", /No binding/],
    ] as const) {
      await page.goto(path);
      await expect(page.getByText(says).first()).toBeVisible();
    }
    await accessible(page);

    await page.evaluate(async () => {
      await fetch("/api/v1/templates", {
        method: "POST",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({
          name: "kept-in-sight",
          strategy: { kind: "fixed" },
          levels: { count: 2 },
          parameters: [{ name: "n", type: "int", min: 0, max: 9 }],
          gears: [{ level: 1, set: { n: 1 } }],
        }),
      });
    });
    await page.goto("/templates");
    const row = page.getByText("kept-in-sight").first();
    await expect(row).toBeVisible();
    await page.evaluate(() => ((window as unknown as { same: boolean }).same = true));

    const http = Number(new URL(server.url).port);
    await server.stop("SIGKILL");
    await expect(page.locator(".live")).toHaveText(/Stale since \d\d:\d\d:\d\d/i);
    await expect(row).toBeVisible();
    await expect(page.getByRole("alert").first()).toContainText(/cannot be reached/, { timeout: 20_000 });
    await expect(row).toBeVisible();
    await accessible(page);

    server = await launch("serve", data, { http, grpc: await freePort() });
    await expect(page.locator(".live")).toHaveText("Live", { timeout: 40_000 });
    await expect(page.getByRole("alert")).toHaveCount(0, { timeout: 20_000 });
    await expect(row).toBeVisible();
    expect(await page.evaluate(() => (window as unknown as { same?: boolean }).same)).toBe(true);
  } finally {
    await context.close();
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
});
