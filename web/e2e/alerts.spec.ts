import type { Page } from "@playwright/test";
import { accessible, call, expect, prefer, test } from "./console";

const shots = process.env.ALLSPARK_SHOTS;
const shot = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
};

interface Alert {
  id: string;
  kind: string;
  state: string;
  scope: { app: string; idc: string };
  acked_by?: string;
}

/** Makes the search nodes of one IDC refuse: a template with a parameter that no build declares, published on purpose. */
async function refuse(page: Page, template: string): Promise<() => Promise<void>> {
  await call(page, "POST", "/templates/recall-tags/copy", { name: template, reason: "test" });
  const doc = await call<{ parameters: object[]; gears: { set: object }[] }>(
    page,
    "GET",
    `/templates/${template}/document`,
  );
  // Bound while it is sound: a binding that builds would refuse is not taken.
  const selector = { scene: "k2", idc: "zjk", app: "sn", point: "recall" };
  await publish(page, template, doc);
  const { id } = await call<{ id: string }>(page, "POST", "/bindings", {
    selector,
    template,
    reason: "test",
  });
  await publish(page, template, {
    ...doc,
    parameters: [...doc.parameters, { name: "unheard_of", type: "int" }],
    gears: doc.gears.map((g) => ({ ...g, set: { ...g.set, unheard_of: 1 } })),
  });
  return async () => {
    await page.evaluate(async (id) => {
      const etag = (await fetch(`/api/v1/bindings/${id}`)).headers.get("ETag")!;
      await fetch(`/api/v1/bindings/${id}`, { method: "DELETE", headers: { "If-Match": etag } });
    }, id);
  };
}

/** Saves a draft and publishes it, whatever builds make of it. */
async function publish(page: Page, template: string, doc: object) {
  const answers = await page.evaluate(
    async ([template, doc]) => {
      const send = async (method: string, path: string, body: unknown) =>
        fetch(`/api/v1/templates/${template}${path}`, {
          method,
          headers: {
            "Content-Type": "application/json",
            "If-Match": (await fetch(`/api/v1/templates/${template}`)).headers.get("ETag")!,
          },
          body: JSON.stringify(body),
        });
      const saved = await send("PUT", "/draft?force=true", doc);
      return [saved.status, (await send("POST", "/publish", { reason: "test", force: true })).status];
    },
    [template, doc] as const,
  );
  expect(answers).toEqual([200, 200]);
}

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

test("agents that refuse raise an alert: the badge counts it, its page shows the prepared plans, it is acknowledged, silenced and resolved", async ({
  page,
}) => {
  test.setTimeout(300_000);
  const unique = Date.now() % 10_000_000;
  const plan = `fewer-tags-${unique}`;
  await page.goto("/");
  await call(page, "POST", "/plans", {
    name: plan,
    zone: "UTC",
    owner: "ann",
    executor: "bob",
    purpose: "recall looks up fewer tags",
    steps: [
      {
        name: "fewer",
        at: "2036-01-01 00:00:00",
        for: "30m",
        set: [{ scene: "k2", app: "sn", point: "recall", level: 20 }],
      },
    ],
  });
  const heal = await refuse(page, `refused-${unique}`);
  try {
    const found = async () => {
      const all = await call<{ items: Alert[] }>(page, "GET", "/alerts?kind=agent_refused");
      return all.items.find((a) => a.scope.app === "sn" && a.scope.idc === "zjk");
    };
    await expect.poll(found, { timeout: 90_000 }).toMatchObject({ state: "firing" });
    const { id } = (await found())!;

    const badge = page.getByRole("navigation").locator(".nav-badge");
    await expect(badge).toHaveText(/^[1-9]/);
    await page.goto("/alerts");
    const row = page.getByRole("row", { name: /refuse their orders/ });
    await expect(row).toContainText("sn");
    await expect(row).toContainText("zjk");
    await accessible(page);
    await shot(page, "alerts-list");

    await row.getByRole("link").first().click();
    await expect(page).toHaveURL(new RegExp(`/alerts/${id}$`));
    await expect(page.getByText(/unheard_of/).first()).toBeVisible(); // which path, of which revision
    const plans = page.getByRole("table", { name: "Plans prepared for its scope" });
    await expect(plans.getByRole("row", { name: new RegExp(plan) })).toContainText("fewer");
    await accessible(page);
    await shot(page, "alert-en-light");
    for (const [language, theme] of [
      ["zh", "dark"],
      ["en", "dark"],
    ] as const) {
      await prefer(page, { language, theme });
      await accessible(page);
      await shot(page, `alert-${language}-${theme}`);
    }

    await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
    let dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox").fill("the template is being rolled back");
    await dialog.getByRole("button", { name: "Acknowledge", exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByText(/the template is being rolled back/)).toBeVisible();
    await expect.poll(found).toMatchObject({ state: "acked", acked_by: "admin" });

    await page.getByRole("button", { name: "Silence", exact: true }).click();
    dialog = page.getByRole("dialog");
    await expect(dialog.getByLabel("App", { exact: true })).toHaveValue("sn"); // its own scope
    await dialog.getByLabel("Reason").fill("known");
    await dialog.getByRole("button", { name: "Silence", exact: true }).click();
    await expect(dialog).toBeHidden();
    await expect(page.getByRole("button", { name: "Silence", exact: true })).toHaveCount(0);
    await shot(page, "alert-silenced");

    await heal();
    await expect
      .poll(async () => (await call<Alert>(page, "GET", `/alerts/${id}`)).state, { timeout: 120_000 })
      .toBe("resolved");
    await expect(page.getByText("resolved", { exact: true }).first()).toBeVisible();
    await expect(page.getByRole("button", { name: "Acknowledge", exact: true })).toHaveCount(0);
    await page.goto("/alerts?state=all&kind=agent_refused");
    await expect(page.getByRole("row", { name: /refuse their orders/ }).first()).toContainText("admin");
  } finally {
    await heal();
    await prefer(page, { language: "en", theme: "light" });
  }
});

test("an alert that does not exist says so", async ({ page }) => {
  await page.goto("/alerts/00000000-0000-7000-8000-000000000000");
  await expect(page.getByText(/404/)).toBeVisible();
  await accessible(page);
});
