import type { Page } from "@playwright/test";
import { accessible, accessibleInBoth, call, expect, fill, fresh, shoot, test } from "./console";

const judged = (page: Page) => page.getByRole("group", { name: "What the server finds" });

test("a scene is created, its settings saved as a version, restored, and deleted", async ({ page }) => {
  const name = fresh("made");
  await page.goto("/scenes");
  await page.getByRole("button", { name: "New scene" }).click();
  const create = page.getByRole("button", { name: "Create" });
  await expect(create).toBeDisabled();
  await fill(page, { Scene: name, Target: "160", Ladder: "130 140", "Front-end limit": "100ms" });
  // What is wrong stands at its field, before anything is sent.
  await expect(page.getByText("gives up after 100ms, before the target 160ms")).toBeVisible();
  await expect(page.getByText("140ms does not lie below 130ms")).toBeVisible();
  await expect(create).toBeDisabled();
  await fill(page, {
    Ladder: "130, 110",
    "Front-end limit": "700ms",
    "Accepted front-end timeouts, %": "0.7",
  });
  await expect(create).toBeEnabled();
  await accessible(page);
  await create.click();
  await page.getByRole("dialog").getByRole("button", { name: "Create" }).click();
  await expect(page).toHaveURL(new RegExp(`/scenes/${name}\\?tab=graph`));
  const made = await call<object>(page, "GET", `/scenes/${name}`);
  expect(made).toMatchObject({
    target: "160ms",
    timeout: "700ms",
    max_timeouts: 0.007,
    ladder: ["130ms", "110ms"],
    version: 1,
  });

  await page.getByRole("tab", { name: "Settings" }).click();
  await fill(page, { Target: "600", Description: "made in a browser" });
  await expect(page.getByText("600ms lies outside the table's targets 50..500 ms")).toBeVisible(); // allowed, and said
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("a longer target");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  const versions = page.getByRole("table", { name: "Versions" });
  await expect(versions.getByRole("row").filter({ hasText: "a longer target" })).toContainText("in force");
  await shoot(page, "scene-settings");
  await versions.getByRole("button", { name: "Restore version 1" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("back again");
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await expect(page.getByLabel("Target", { exact: true })).toHaveValue("160ms");
  await accessible(page);

  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("a test");
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(/\/scenes$/);
  await expect(page.getByRole("link", { name })).toHaveCount(0);
});

test("what is typed stays when somebody else saves meanwhile", async ({ page }) => {
  const name = fresh("shared");
  await page.goto("/scenes");
  await call(page, "POST", "/scenes", {
    name,
    target: "160ms",
    front: { app: "", point: "" },
    graph: { nodes: [], edges: [] },
  });
  const elsewhere = (target: string) =>
    page.evaluate(
      async ([name, target]) => {
        const etag = (await fetch(`/api/v1/scenes/${name}`)).headers.get("ETag")!;
        const put = await fetch(`/api/v1/scenes/${name}/target`, {
          method: "PUT",
          headers: { "If-Match": etag, "Content-Type": "application/json" },
          body: JSON.stringify({ target, reason: "the peak" }),
        });
        return put.status;
      },
      [name, target] as const,
    );
  await page.goto(`/scenes/${name}?tab=settings`);
  await fill(page, { Description: "mine" });
  expect(await elsewhere("150ms")).toBe(200);
  // Another field changed: it follows, and mine stays.
  await expect(page.getByLabel("Target", { exact: true })).toHaveValue("150ms");
  await expect(page.getByLabel("Description", { exact: true })).toHaveValue("mine");
  // The same field changed: it is asked.
  await fill(page, { Target: "140" });
  expect(await elsewhere("120ms")).toBe(200);
  const asked = page.getByRole("alert").filter({ hasText: "saved version 3 meanwhile" });
  await expect(asked).toContainText("Changed by both: Target");
  await expect(page.getByRole("button", { name: "Save" })).toBeDisabled();
  await accessible(page);
  await asked.getByRole("button", { name: "Keep mine upon it" }).click();
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("both of us");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await expect(page.getByRole("dialog")).toBeHidden();
  await expect
    .poll(() => call<object>(page, "GET", `/scenes/${name}`))
    .toMatchObject({ version: 4, target: "140ms", description: "mine" });

  // A drawing is not lost to a new target either.
  await page.getByRole("tab", { name: "Graph" }).click();
  const group = page.getByRole("group", { name: "Add node" });
  await group.getByLabel("App", { exact: true }).fill("sn");
  await group.getByLabel("Point", { exact: true }).fill("recall");
  await group.getByRole("button", { name: "Add node" }).click();
  expect(await elsewhere("130ms")).toBe(200);
  await expect(page.getByRole("heading", { name })).toBeVisible();
  await page.getByRole("button", { name: "Save graph" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("drawn");
  await expect(async () => {
    // Until the new version is known here the server refuses the old one, and nothing is lost.
    if (await page.getByRole("dialog").isVisible())
      await page.getByRole("dialog").getByRole("button", { name: "Save graph" }).click();
    await expect(page.getByRole("dialog")).toBeHidden({ timeout: 2_000 });
  }).toPass();
  await expect
    .poll(() => call<object>(page, "GET", `/scenes/${name}`))
    .toMatchObject({ version: 6, target: "130ms", graph: { nodes: [{ id: "sn/recall" }] } });
  const gone = await page.evaluate(async (name) => {
    const etag = (await fetch(`/api/v1/scenes/${name}`)).headers.get("ETag")!;
    return (await fetch(`/api/v1/scenes/${name}`, { method: "DELETE", headers: { "If-Match": etag } }))
      .status;
  }, name);
  expect(gone).toBe(204);
});

test("a graph of wrong timeouts, circles and unknown points is refused while it is drawn", async ({
  page,
}) => {
  const name = fresh("wrong");
  await page.goto("/scenes/new");
  await fill(page, { Scene: name, Target: "160ms" });
  const add = async (app: string, point: string, external = false) => {
    const group = page.getByRole("group", { name: "Add node" });
    await group.getByLabel("App", { exact: true }).fill(app);
    await group.getByLabel("Point", { exact: true }).fill(point);
    await group.getByLabel("a call to another app").setChecked(external);
    await group.getByRole("button", { name: "Add node" }).click();
  };
  const edges = page.getByRole("region", { name: "Edges" });
  const edge = async (from: string, to: string) => {
    await edges.getByLabel("From").selectOption(from);
    await edges.getByLabel("To").selectOption(to);
    await edges.getByRole("button", { name: "Add edge" }).click();
  };
  await add("sn", "recall");
  await add("sn", "rank");
  await edge("sn/recall", "sn/rank");
  await expect(page.getByRole("button", { name: "Create" })).toBeEnabled();

  await edge("sn/rank", "sn/recall");
  await expect(judged(page)).toContainText(/circle|cycle/i);
  await expect(page.getByRole("button", { name: "Create" })).toBeDisabled();
  await edges.getByRole("button", { name: "Remove sn/rank → sn/recall" }).click();
  await expect(judged(page)).toBeHidden();

  await add("sn", "nobody-declares-this");
  await expect(judged(page)).toContainText("no registered build declares the point sn/nobody-declares-this");
  await page.getByRole("button", { name: "Remove sn/nobody-declares-this" }).click();

  // A call of 100 ms around one that may take 150 ms, 2 ms away.
  await add("sn", "creative_edge", true);
  await add("merger", "merge", true);
  await page.getByLabel("Within call merger/merge").selectOption("sn/creative_edge");
  await page.getByLabel("Timeout sn/creative_edge").fill("100ms");
  await page.getByLabel("Network sn/creative_edge").fill("2ms");
  await page.getByLabel("Timeout merger/merge").fill("150ms");
  await expect(judged(page)).toContainText(
    "sn/creative_edge has a timeout of 100ms, and what runs within it may take 150ms + 2ms of network = 152ms",
  );
  await shoot(page, "scene-refused");
  await accessible(page);
  await page.getByLabel("Timeout sn/creative_edge").fill("152ms");
  await expect(judged(page)).toBeHidden();
  await expect(page.getByRole("button", { name: "Create" })).toBeEnabled();
});

test("a graph is drafted from traffic, reviewed against the one that stands, and taken", async ({ page }) => {
  // A scene of which nothing is reported says so, and what to do.
  await page.goto("/scenes/new");
  await expect(page.getByRole("button", { name: "Draft from traffic" })).toBeDisabled();
  await fill(page, { Scene: fresh("silent"), Target: "160ms" });
  await page.getByRole("button", { name: "Draft from traffic" }).click();
  await expect(page.getByText(/Nothing has been reported of silent-/)).toBeVisible();
  await shoot(page, "scene-draft-empty");
  await page.getByRole("button", { name: "Cancel" }).last().click();

  // One that has traffic brings its whole graph, and who measures it.
  await fill(page, { Scene: "feeds" });
  await expect
    .poll(
      async () =>
        (await call<{ graph: { nodes: unknown[] } }>(page, "POST", "/scenes/draft", { scene: "feeds" })).graph
          .nodes.length,
      { timeout: 120_000 },
    )
    .toBeGreaterThanOrEqual(8);
  await page.getByRole("button", { name: "Draft from traffic" }).click();
  const nodes = page.getByRole("table", { name: "Nodes of the draft" });
  const row = (id: string) =>
    nodes.getByRole("row").filter({ has: page.getByRole("checkbox", { name: `Take ${id}`, exact: true }) });
  await expect(row("creative/select")).toContainText("sn/creative_edge"); // it runs within that call
  await expect(row("sn/prerank")).toContainText("sn/recall"); // it works on its results
  await expect(page.getByText("frontend/entry is around the whole request")).toBeVisible();
  const edges = page.getByRole("table", { name: "Edges of the draft" });
  await expect(edges.getByRole("row").filter({ hasText: "sn/recall → sn/prerank" })).toContainText(/9\d|100/);
  await shoot(page, "scene-draft");
  await accessible(page);
  await page.getByRole("button", { name: /^Take 8 nodes/ }).click();
  await expect(page.getByLabel("Front", { exact: true })).toHaveValue("frontend/entry");
  await expect(page.getByRole("button", { name: "Create" })).toBeEnabled();

  // Against the graph of a scene that stands: what was drawn by hand is not seen, and what is missing is new.
  await page.goto("/scenes/feeds?tab=graph");
  const before = await call<{ version: number }>(page, "GET", "/scenes/feeds");
  await page.getByRole("button", { name: "Remove merger/merge" }).click();
  await page.getByRole("button", { name: "Draft from traffic" }).click();
  await expect(row("merger/merge")).toContainText("new");
  await expect(row("sn/recall")).not.toContainText("new");
  // Left out, it is out of the graph that is taken.
  await row("merger/merge").getByRole("checkbox").uncheck();
  await expect(page.getByRole("button", { name: /^Take 7 nodes/ })).toBeVisible();
  await row("merger/merge").getByRole("checkbox").check();
  await page.getByRole("button", { name: /^Take 8 nodes/ }).click();
  await expect(page.getByRole("button", { name: "Remove model/score → merger/merge" })).toBeVisible();
  await page.getByRole("button", { name: "Save graph" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("as traffic says");
  await page.getByRole("dialog").getByRole("button", { name: "Save graph" }).click();
  await expect
    .poll(async () => (await call<{ version: number }>(page, "GET", "/scenes/feeds")).version)
    .toBe(before.version + 1);
});

test("a profile is uploaded as CSV and as JSON, with its faults by line and column", async ({ page }) => {
  await page.goto("/scenes/k2?tab=profiles");
  const table = page.getByRole("table", { name: "Profiles" });
  const learnt = table.getByRole("row").filter({ hasText: "merger/merge" }).filter({ hasText: "learnt" });
  await expect(learnt).toContainText("in use", { timeout: 60_000 });
  await expect(learnt).toContainText("fresh");
  await expect(learnt).toContainText(/ago|now/); // its age
  await expect(learnt).toContainText(/\d k|\d{3}/); // its samples
  await shoot(page, "scene-profiles");
  await accessible(page);

  await page.getByRole("button", { name: "Upload a profile of merger/merge" }).first().click();
  const dialog = page.getByRole("dialog");
  const document = dialog.getByRole("textbox", { name: "Document" });
  const send = dialog.getByRole("button", { name: /^(Upload|Replace)$/ });
  await dialog.locator("input[type=file]").setInputFiles({
    name: "merge.csv",
    mimeType: "text/csv",
    buffer: Buffer.from("level,p50,p99,work,effect\n1,2,3,1,0.5\n2,-3,9,NaN,0.7\n3,4,9,x,0.6\n"),
  });
  await expect(
    dialog.getByRole("button", { name: /line 3, column 3.*the RT is negative, -3 ms/ }),
  ).toBeVisible();
  await expect(dialog.getByRole("button", { name: /line 3, column 8.*finite/ })).toBeVisible();
  const third = dialog.getByRole("button", { name: /line 4, column 7.*work wants a number/ });
  await expect(send).toBeDisabled();
  await shoot(page, "scene-upload");
  await accessible(page);
  await third.click(); // it leads to its cell
  expect(
    await document.evaluate((e: HTMLTextAreaElement) => e.value.slice(e.selectionStart, e.selectionEnd)),
  ).toBe("x");

  // Ten levels, as the point's template has; the effect falls once: warned of, not refused.
  const rows = Array.from(
    { length: 10 },
    (_, i) => `${i + 1},${2 + i},${4 + 2 * i},${1 + i},${i === 5 ? 0.1 : (i + 1) / 10},700`,
  );
  await document.fill(`level,p50,p99,work,effect,samples\n${rows.join("\n")}\n`);
  await expect(dialog.getByText("the effect falls from 0.5 at level 5 to 0.1 at level 6")).toBeVisible();
  await dialog.getByLabel("Measured at").fill("2020-01-02T03:04"); // so it is stale, and said so
  await dialog.getByRole("textbox", { name: "Reason" }).fill("measured by hand");
  await send.click();
  await expect(dialog).toBeHidden();
  const uploaded = table.getByRole("row").filter({ hasText: "merger/merge" }).filter({ hasText: "uploaded" });
  await expect(uploaded).toContainText("stale");
  await expect(uploaded).toContainText("uploaded ones are good for");
  await expect(uploaded).toContainText("7000");

  // The same again as JSON replaces it: it is fresh now.
  await uploaded.getByRole("button", { name: "Upload a profile of merger/merge" }).click();
  await document.fill('{"levels": [\n  {"level": 1, "p50": 2, "work": 1, "effort": 3}\n]}');
  await expect(
    dialog.getByRole("button", { name: /line 2, column 37.*"effort" is not known here/ }),
  ).toBeVisible();
  const levels = Array.from({ length: 10 }, (_, i) => ({
    level: i + 1,
    p50: 2 + i,
    p99: 4 + 2 * i,
    work: 1 + i,
    effect: (i + 1) / 10,
    samples: 900,
  }));
  await document.fill(JSON.stringify({ levels }));
  await expect(dialog.getByText(/It replaces version \d+/)).toBeVisible();
  await expect(dialog.getByText("The document is sound.")).toBeVisible();
  await send.click();
  await expect(dialog).toBeHidden();
  await expect(uploaded).toContainText("9000");
  await expect(uploaded).toContainText("fresh");
  await uploaded.getByRole("button", { name: "10 levels of merger/merge" }).click();
  await expect(page.getByRole("table", { name: "Profile of merger/merge" }).getByRole("row")).toHaveCount(11);

  // Deleted, what was learnt serves again.
  await uploaded.getByRole("button", { name: /Delete the uploaded profile/ }).click();
  await dialog.getByRole("textbox").fill("what was learnt is better");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await expect(uploaded).toHaveCount(0);
});

test("every page of a scene is accessible in both languages and themes", async ({ page }) => {
  const tabs = ["link", "table", "split", "allocation", "profiles", "graph", "settings"];
  for (const path of ["/scenes", "/scenes/new", ...tabs.map((tab) => `/scenes/k2?tab=${tab}`)])
    await test.step(path, async () => {
      await page.goto(path);
      await expect(page.locator("main h1").first()).toBeVisible();
      await expect(page.locator(".skeleton")).toHaveCount(0);
      await accessibleInBoth(page, (look) => shoot(page, `scene-page-${path.replace(/\W+/g, "-")}-${look}`));
    });
});
