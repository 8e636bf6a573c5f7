import { expect, test, type Page } from "@playwright/test";
import { address, signIn } from "./console";

// Measurements, not tests: scripts/bench runs them against a controller with 300
// points, or a scene of 200 nodes, and reads what they print.
test.skip(!process.env.ALLSPARK_MEASURE, "run by the bench");
test.beforeEach(async ({ page }) => signIn(page));

const at = (sorted: number[], q: number) =>
  sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))]!;

/** Types and deletes letters in a field and presses arrow keys in a table, and gives the times until the next paint, sorted. */
async function keysToPaint(page: Page, field: string, rows?: string): Promise<number[]> {
  await page.locator(field).focus();
  return page.evaluate(
    async ([field, rows]) => {
      const painted = () => new Promise<void>((ok) => requestAnimationFrame(() => setTimeout(ok)));
      const input = document.querySelector<HTMLInputElement>(field)!;
      // React watches the value: it is set as the browser sets it.
      const value = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")!;
      const type = (text: string) => {
        value.set!.call(input, text);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      };
      const press = (key: string) => {
        const all = document.querySelectorAll<HTMLElement>(rows!);
        const on = document.activeElement?.matches(rows!) ? (document.activeElement as HTMLElement) : all[0]!;
        on.focus();
        on.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
      };
      const texts = ["p", "po", "poi", "point-0", "point-01", "point-0", "po", ""];
      const out: number[] = [];
      for (let i = 0; i < 48; i++) {
        const start = performance.now();
        if (rows && i % 3 === 2) press(i % 2 ? "ArrowDown" : "ArrowUp");
        else type(texts[i % texts.length]!);
        await painted();
        out.push(performance.now() - start);
        await new Promise((ok) => setTimeout(ok, 60)); // what was deferred is done before the next
      }
      type("");
      return out.sort((a, b) => a - b);
    },
    [field, rows] as const,
  );
}

test("points: keys to paint", async ({ page }) => {
  await page.goto(`${address()}/points?scene=big`);
  const rows = page.locator("table.data tbody tr");
  await expect(rows).toHaveCount(300);
  await expect(rows.first()).toContainText(/ms/);
  const times = await keysToPaint(page, "[data-search] input", "table.data tbody tr");
  await expect(rows).toHaveCount(300);
  console.log(
    `points: ${await rows.count()} rows, median ${at(times, 0.5).toFixed(1)} ms, p95 ${at(times, 0.95).toFixed(1)} ms`,
  );
});

test("links: find and pan", async ({ page }) => {
  await page.goto(`${address()}/links?scene=big&idc=sh`);
  const nodes = page.locator(".scene-node");
  await expect(nodes).toHaveCount(200);
  await expect(nodes.first()).toContainText(/ms/);
  const find = await keysToPaint(page, "[data-search] input");

  // Dragging the picture by a hand that moves at every frame.
  const box = (await page.locator(".react-flow__pane").boundingBox())!;
  const frames = page.evaluate(async () => {
    const out: number[] = [];
    let last = await new Promise<number>((ok) => requestAnimationFrame(ok));
    for (const end = performance.now() + 3_000; performance.now() < end;) {
      const now = await new Promise<number>((ok) => requestAnimationFrame(ok));
      out.push(now - last);
      last = now;
    }
    return out.sort((a, b) => a - b);
  });
  await page.mouse.move(box.x + box.width - 30, box.y + 30);
  await page.mouse.down();
  for (let i = 0; i < 150; i++) await page.mouse.move(box.x + box.width - 30 - 2 * i, box.y + 30 + i);
  await page.mouse.up();
  const pan = await frames;
  await expect(nodes.first()).toBeAttached();
  console.log(
    `links: 200 nodes, find median ${at(find, 0.5).toFixed(1)} ms, p95 ${at(find, 0.95).toFixed(1)} ms, ` +
      `pan median ${at(pan, 0.5).toFixed(1)} ms, p95 ${at(pan, 0.95).toFixed(1)} ms`,
  );
});
