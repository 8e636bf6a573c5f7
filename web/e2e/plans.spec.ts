import type { Page } from "@playwright/test";
import { accessible, accessibleInBoth, call, expect, secondUser, test } from "./console";

const shots = process.env.ALLSPARK_SHOTS;
const shot = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
};

const zone = "Asia/Shanghai";
const wall = (ms: number) => new Date(ms).toLocaleString("sv-SE", { timeZone: zone });
const unique = (name: string) => `${name}-${Date.now() % 10_000_000}`;

interface Point {
  source: string;
  order: { level: number };
}
const recall = (page: Page) => call<Point>(page, "GET", "/points/k2/zjk/sn/recall");

/** A plan that sets a level of sn/recall from an instant on. */
const planOf = (name: string, at: number, length: string, level = 3) => ({
  name,
  zone,
  owner: "ann",
  executor: "bob",
  steps: [
    { name: "gears", at: wall(at), for: length, set: [{ scene: "k2", app: "sn", point: "recall", level }] },
  ],
});

/** Fills the open dialog's reason and presses its button. */
async function because(page: Page, reason: string, button: string) {
  const dialog = page.getByRole("dialog").last();
  await dialog.getByPlaceholder(/Why/).fill(reason);
  await dialog.getByRole("button", { name: button, exact: true }).click();
  return dialog;
}

test("write a plan, rehearse it, approve it as a second user, watch it fire and its end restore the levels", async ({
  page,
}) => {
  test.setTimeout(360_000);
  const name = unique("double-11");
  await page.goto("/plans");
  await call(page, "PUT", "/protected-scenes/k2?reason=peak");
  const second = await secondUser(page, "operator");
  try {
    await test.step("write it, beginning from the example", async () => {
      await page
        .getByRole("button", { name: /Double-11 example/ })
        .first()
        .click();
      await expect(page.getByText("no problems")).toBeVisible();
      await page.getByLabel("Name", { exact: true }).fill(name);
      // Every step that sets needs an end.
      const first = page.getByRole("region", { name: "midnight-gears" });
      await first.getByLabel("How the end is given").selectOption("for");
      await first.getByLabel("after a while").fill("");
      await expect(first.getByText(/needs one end/)).toBeVisible();
      await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
      await first.getByLabel("How the end is given").selectOption("until");
      await first.getByLabel("until another step").selectOption("auto-gears");
      await expect(page.getByText("no problems")).toBeVisible();
      await expect(page.getByText(/somebody else than the author must approve/)).toBeVisible();
      await shot(page, "plan-editor");
      await accessible(page);
      await page.getByRole("tab", { name: "YAML" }).click();
      await expect(page.locator(".cm-content")).toContainText("until: auto-gears");
      await page.getByRole("tab", { name: "Form" }).click();
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await because(page, "for the peak", "Save");
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
      await expect(page.locator("h1 ~ .tag", { hasText: "draft" })).toBeVisible();
    });

    await test.step("rehearse it: with the plan and without it", async () => {
      await page.getByRole("tab", { name: "Rehearsal" }).click();
      await page.getByRole("button", { name: "Rehearse…" }).click();
      const dialog = page.getByRole("dialog");
      await dialog.getByRole("button", { name: "Rehearse…" }).click();
      await expect(page.getByTestId("totals")).toBeVisible({ timeout: 90_000 });
      for (const figure of [
        "Value earned",
        "Requests lost",
        "Mean RT",
        "CPU of the busiest app",
        "QPS",
        "Level of",
      ])
        await expect(
          page
            .getByRole("img", { name: new RegExp(figure) })
            .or(page.getByRole("row", { name: new RegExp(figure) }))
            .first(),
        ).toBeVisible();
      await expect(page.getByTestId("not-ran")).toBeVisible();
      await accessible(page);
      await shot(page, "plan-rehearsal");
    });

    let at = 0;
    await test.step("move it to a minute from now", async () => {
      await second.page.goto(`/plans/${name}`);
      await page.getByRole("button", { name: "Edit", exact: true }).click();
      const first = page.getByRole("region", { name: "midnight-gears" });
      const auto = page.getByRole("region", { name: "auto-gears" });
      const restore = page.getByRole("region", { name: "restore", exact: true });
      await auto.getByLabel("How the start is given").selectOption("after");
      await auto.getByLabel("How long after").fill("25s"); // time to look at it while it is in force
      await auto.getByLabel("after another step").selectOption("midnight-gears");
      await restore.getByLabel("How long after").fill("2s");
      at = Math.ceil(Date.now() / 1000) * 1000 + 90_000; // time to approve it on a busy machine
      await first.getByLabel("Start: date").fill(wall(at).slice(0, 10));
      await first.getByLabel("Start: time, 24 h").fill(wall(at).slice(11));
      await page.getByRole("button", { name: "Save", exact: true }).click();
      await because(page, "now", "Save");
      await expect(page.getByRole("heading", { level: 1, name })).toBeVisible();
    });

    await test.step("its author may not approve it; a second user may", async () => {
      await page.getByRole("button", { name: "Approve" }).click();
      const refused = await because(page, "mine", "Approve");
      await expect(refused.getByRole("alert")).toContainText(/protected/);
      await refused.getByRole("button", { name: "Cancel" }).click();
      await second.page.getByRole("button", { name: "Approve" }).click();
      await because(second.page, "looks right", "Approve");
      await expect(page.locator("h1 ~ .tag", { hasText: "approved" })).toBeVisible();
    });

    await test.step("it is held ahead, fires, and is acknowledged in every IDC", async () => {
      await expect(page.getByTestId("countdown")).toContainText(/T−00:0[01]:/);
      await shot(page, "plan-countdown");
      const row = page.locator("[data-step=midnight-gears]");
      await expect(row).toContainText("in force", { timeout: 120_000 });
      await expect(row).toContainText("staged");
      await expect.poll(async () => (await recall(page)).order.level).toBe(30);
      expect((await recall(page)).source).toBe("plan");
      await expect(page.getByTestId("acks")).toHaveText("100.0 %");
      await shot(page, "plan-in-force");
    });

    await test.step("its end restores the levels, and the list and the log say so", async () => {
      await expect(page.locator("[data-step=midnight-gears]")).toContainText("ended", { timeout: 60_000 });
      await expect.poll(async () => (await recall(page)).source).not.toBe("plan");
      await expect(page.getByTestId("restore").getByText("restored").first()).toBeVisible();
      await expect(page.getByTestId("restore").getByText("not yet")).toHaveCount(0);
      await shot(page, "plan-restored");
      await accessible(page);
      await page.getByRole("tab", { name: "War log" }).click();
      await expect(page.getByTestId("war-log")).toContainText("looks right");
      await expect(
        page
          .getByTestId("war-log")
          .getByRole("link", { name: /^#\d+$/ })
          .first(),
      ).toBeVisible();
      await accessible(page);
      await shot(page, "plan-log");
      const file = async (format: string) =>
        page.evaluate(
          async (url) => (await fetch(url)).text(),
          `/api/v1/plans/${name}/export?format=${format}`,
        );
      expect(await file("ics")).toContain("BEGIN:VCALENDAR");
      expect(await file("md")).toContain("## Log");
    });
  } finally {
    await call(page, "DELETE", "/protected-scenes/k2?reason=over");
    await second.close();
  }
});

test("a local time that does not exist is refused with two choices, one that exists twice asks which", async ({
  page,
}) => {
  await page.goto("/plans/new");
  await page.getByLabel("Name", { exact: true }).fill("clocks");
  await page.getByLabel("Zone", { exact: true }).fill("America/New_York");
  const step = page.getByRole("region", { name: "gears", exact: true });
  await step.getByLabel("app").fill("sn");
  await step.getByLabel("level", { exact: true }).fill("3");
  const set = async (date: string, time: string) => {
    await step.getByLabel("Start: date").fill(date);
    await step.getByLabel("Start: time, 24 h").fill(time);
  };
  await set("2027-03-14", "02:30:00");
  await expect(step.getByText(/does not exist in America\/New_York/)).toBeVisible();
  await expect(step.getByRole("button", { name: "01:30:00 (UTC-05:00)" })).toBeVisible();
  await shot(page, "plan-gap");
  await step.getByRole("button", { name: "03:30:00 (UTC-04:00)" }).click();
  await expect(page.getByText("no problems")).toBeVisible();
  await expect(step.getByLabel("Start: time, 24 h")).toHaveValue("03:30:00");

  await set("2027-11-07", "01:30:00");
  await expect(step.getByText(/exists twice/).first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Save", exact: true })).toBeDisabled();
  await step.getByRole("button", { name: /the later \(UTC-05:00\)/ }).click();
  await expect(page.getByText("no problems")).toBeVisible();
  await expect(step.getByText("2027-11-07 01:30:00 -05:00")).toBeVisible();
});

test("conflicts show while editing, and a stale save shows base, mine and theirs", async ({ page }) => {
  const [mine, other] = [unique("mine"), unique("other")];
  const at = Date.now() + 5 * 3_600_000;
  await page.goto("/plans");
  await call(page, "POST", "/plans", planOf(other, at, "1h"));
  await call(page, "POST", "/plans", planOf(mine, at + 600_000, "1h", 4));
  await page.goto(`/plans/${mine}/edit`);
  await expect(page.getByTestId("conflicts")).toContainText(`plan ${other}/gears`);

  await page.getByLabel("Purpose").fill("mine");
  const saved = await page.evaluate(async (plan) => {
    const got = await fetch(`/api/v1/plans/${plan}`);
    const { document } = (await got.json()) as { document: object };
    const put = await fetch(`/api/v1/plans/${plan}`, {
      method: "PUT",
      headers: { "Content-Type": "application/json", "If-Match": got.headers.get("ETag")! },
      body: JSON.stringify({ ...document, purpose: "theirs" }),
    });
    return put.status;
  }, mine);
  expect(saved).toBe(200);
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await because(page, "mine", "Save");
  const stale = page.getByRole("dialog", { name: /Somebody else saved/ });
  await expect(stale.getByRole("row", { name: /purpose/ })).toContainText("theirs");
  await shot(page, "plan-stale");
  await accessible(page);
  await stale.getByRole("button", { name: "Save mine over it" }).click();
  await because(page, "mine after all", "Save");
  await expect(page.getByRole("heading", { level: 1, name: mine })).toBeVisible();
  await expect(page.getByText("mine", { exact: true }).first()).toBeVisible();

  await test.step("the list filters by its address and marks what meets", async () => {
    await page.goto(`/plans?q=${mine}`);
    const chart = page.getByRole("figure", { name: "Timeline" });
    await expect(chart.getByRole("link", { name: new RegExp(`gears.*plan ${other}/gears`) })).toBeVisible();
    await expect(page.getByRole("row", { name: new RegExp(other) })).toHaveCount(0);
    await page.getByRole("slider").focus();
    for (let i = 0; i < 5; i++) await page.keyboard.press("ArrowRight");
    await expect(page).toHaveURL(/[?&]t=/);
    await shot(page, "plans-list");
  });
});

test("a freeze refuses with 423, and a second person's leave breaks the glass", async ({ page }) => {
  const name = unique("frozen");
  await page.goto("/plans?tab=freezes");
  await call(page, "POST", "/plans", planOf(name, Date.now() + 2 * 3_600_000, "1h"));
  const second = await secondUser(page, "operator");
  const approve = async () => {
    await page.getByRole("button", { name: "Approve" }).click();
    return because(page, "urgent", "Approve");
  };
  try {
    await page.getByRole("button", { name: "Freeze…" }).click();
    await because(page, "hours before the peak", "Freeze…");
    await expect(page.getByRole("row", { name: /hours before the peak/ })).toBeVisible();
    await page.goto(`/plans/${name}`);
    const dialog = await approve();
    await expect(dialog.getByRole("alert")).toContainText("hours before the peak");
    await shot(page, "plan-frozen");
    await accessible(page);
    await dialog.getByRole("button", { name: "Break the glass…" }).click();
    const glass = page.getByRole("dialog", { name: "Break the glass" });
    await glass.getByPlaceholder(/Why/).fill("a wrong level in the plan");
    await glass.getByRole("button", { name: "Ask for leave" }).click();
    await expect(glass.getByTestId("glass-waiting")).toBeVisible();

    await second.page.goto("/plans?tab=freezes");
    await second.page
      .getByRole("row", { name: /a wrong level/ })
      .getByRole("button", { name: "Approve" })
      .click();
    await because(second.page, "seen", "Approve");
    await shot(second.page, "plan-freezes");
    await accessible(second.page);

    await glass.getByRole("button", { name: "Use this leave" }).click();
    await expect(page.getByRole("button", { name: /Glass broken until/ })).toBeVisible();
    await dialog.getByRole("button", { name: "Approve", exact: true }).click();
    await expect(page.locator("h1 ~ .tag", { hasText: "approved" })).toBeVisible();
    await expect(page.locator("h1 ~ .tag", { hasText: "glass broken" })).toBeVisible();
    await page.getByRole("button", { name: /Glass broken until/ }).click();
    await expect(page.getByRole("button", { name: /Glass broken until/ })).toHaveCount(0);
    await page.getByRole("button", { name: "Stop all" }).click();
    await because(page, "over", "Stop all"); // allowed in a freeze
    await expect(page.locator("h1 ~ .tag", { hasText: "stopped" })).toBeVisible();
  } finally {
    const { items } = await call<{ items: { id: string }[] }>(page, "GET", "/freezes");
    for (const f of items) await call(page, "DELETE", `/freezes/${f.id}?reason=over`);
    await second.close();
  }
});

test("the plans' pages are accessible in both languages and themes", async ({ page }) => {
  test.setTimeout(180_000);
  const name = unique("shown");
  await page.goto("/plans");
  await call(page, "POST", "/plans", planOf(name, Date.now() + 3_600_000, "30m"));
  for (const path of ["/plans", "/plans/new?from=example", `/plans/${name}`, "/plans?tab=freezes"])
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.locator("main h1").first()).toBeVisible();
      await expect(page.locator(".skeleton")).toHaveCount(0);
      await accessibleInBoth(page, (look) => shot(page, `page${path.replaceAll(/[^a-z]+/g, "-")}-${look}`));
    });
});
