import type { Page } from "@playwright/test";
import { accessible, call, expect, secondUser, test } from "./console";

const shots = process.env.ALLSPARK_SHOTS;
const shot = async (page: Page, name: string) => {
  if (shots) await page.screenshot({ path: `${shots}/${name}.png` });
};

interface Doc {
  description?: string;
  parameters: { name: string; type: string }[];
  gears: { level: number; set: Record<string, unknown> }[];
}

/** Saves a draft behind the page's back. */
async function saveDraft(page: Page, template: string, change: (doc: Doc) => Doc, force = false) {
  const doc = await call<Doc>(page, "GET", `/templates/${template}/document`);
  const status = await page.evaluate(
    async ([template, doc, force]) => {
      const etag = (await fetch(`/api/v1/templates/${template}`)).headers.get("ETag")!;
      const put = await fetch(`/api/v1/templates/${template}/draft?force=${force}`, {
        method: "PUT",
        headers: { "Content-Type": "application/json", "If-Match": etag },
        body: JSON.stringify(doc),
      });
      return put.status;
    },
    [template, change(doc), force] as const,
  );
  expect(status).toBe(200);
}

test("a stale save shows what one began with, one's own and theirs", async ({ page }) => {
  const name = `stale-${Date.now() % 10_000_000}`;
  await page.goto("/templates");
  await call(page, "POST", "/templates/recall-tags/copy", { name, reason: "test" });
  await page.goto(`/templates/${name}?tab=parameters`);
  const description = page.getByLabel("Description").first();
  await description.fill("mine");
  await saveDraft(page, name, (d) => ({ ...d, description: "theirs" }));
  await page.getByRole("button", { name: "Save draft" }).click();
  const box = page.getByRole("alert").filter({ hasText: "Somebody else changed it meanwhile" });
  await expect(box).toContainText("description: mine");
  await expect(box).toContainText("description: theirs");
  await accessible(page);
  await shot(page, "template-stale");
  await box.getByRole("button", { name: "Overwrite with mine" }).click();
  await expect(box).toHaveCount(0);
  await expect
    .poll(async () => (await call<Doc>(page, "GET", `/templates/${name}/document`)).description)
    .toBe("mine");
});

test("what running builds would refuse is named, and published only on purpose", async ({ page }) => {
  const name = "recall-tags";
  await page.goto("/templates");
  await saveDraft(
    page,
    name,
    (d) => ({
      ...d,
      parameters: [...d.parameters, { name: "unheard_of", type: "int" }],
      gears: d.gears.map((g) => ({ ...g, set: { ...g.set, unheard_of: 1 } })),
    }),
    true,
  );
  try {
    await page.goto(`/templates/${name}`);
    await page.getByRole("button", { name: "Publish…" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText(/unheard_of/);
    await dialog.getByPlaceholder(/Why/).fill("test");
    const publish = dialog.getByRole("button", { name: "Publish…" });
    await expect(publish).toBeDisabled();
    await accessible(page);
    await shot(page, "publish-refused");
    await dialog.getByRole("checkbox").check();
    await expect(publish).toBeEnabled();
    await dialog.getByRole("button", { name: "Cancel" }).click();
  } finally {
    await page.evaluate(async (template) => {
      const etag = (await fetch(`/api/v1/templates/${template}`)).headers.get("ETag")!;
      await fetch(`/api/v1/templates/${template}/draft`, { method: "DELETE", headers: { "If-Match": etag } });
    }, name);
  }
});

test("a viewer is told what their roles do not cover, and offered nothing they may not do", async ({
  page,
}) => {
  await page.goto("/");
  const viewer = await secondUser(page, "viewer", { app: "sn" });
  try {
    await viewer.page.goto("/audit");
    await expect(viewer.page.getByText(/403 · Not allowed/)).toBeVisible();
    await accessible(viewer.page);
    await shot(viewer.page, "viewer-403");
    await viewer.page.goto("/plans");
    await expect(viewer.page.getByRole("heading", { level: 1, name: "Plans" })).toBeVisible();
    await expect(viewer.page.getByRole("button", { name: /New plan|example/ })).toHaveCount(0);
    await viewer.page.goto("/points/k2/sh/sn/recall");
    await expect(viewer.page.getByTestId("why-summary")).toBeVisible();
    await expect(viewer.page.getByRole("button", { name: "Override…" })).toHaveCount(0);
  } finally {
    await viewer.close();
  }
});
