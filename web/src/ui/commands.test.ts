import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as commands from "./commands";

const place = { scene: "k2", idc: "sh", app: "sn", point: "recall" };

test("quotes what a shell would read otherwise", () => {
  expect(commands.sh("sn-sh-1")).toBe("sn-sh-1");
  expect(commands.sh("*")).toBe("'*'");
  expect(commands.sh("it's $HOME")).toBe(`'it'\\''s $HOME'`);
});

// server/cli parses the same file with the real command tree, so a command the
// console offers is a command the program has.
test("the lines are those the program's own test parses", () => {
  const lines = [
    commands.showPoint(place),
    commands.explainPoint({ ...place, scene: "*" }),
    commands.explainPoint(place, "2026-11-30T04:00:00.000Z"),
    commands.showAgent("sn-sh-1"),
    commands.showChange(41),
    commands.getTemplate("recall-tags"),
    commands.bindTemplate({
      template: "recall-tags",
      selector: { ...place, scene: "*", idc: "*" },
    } as Parameters<typeof commands.bindTemplate>[0]),
    commands.bindTemplate({ template: "recall-tags", selector: place, pin: 3 }),
    commands.releaseClaim({ id: "01a22a9a-a111-7b52-b381-3a7d1f0f958f", value: "level 3" }),
    commands.listAudit({ kind: "binding", name: "*/*/sn/recall" }),
    commands.showLeaderboard({ window: "24h", sort: "-flapping", group: "app", idc: "sh" }),
    commands.showExperiment("crowd-or-central"),
    commands.showPlan("double-11"),
    commands.applyPlan("double-11"),
    commands.actOnPlan("stop", "double-11", "the peak is over"),
    commands.setUser("ann", [{ role: "operator", app: "sn", idc: "*" }]),
  ];
  expect(readFileSync("../server/cli/testdata/console.txt", "utf8")).toBe(lines.join("\n") + "\n");
});
