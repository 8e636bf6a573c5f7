import { expect, test } from "vitest";
import { fits } from "./Palette";

const best = (text: string, ...labels: string[]) =>
  labels
    .map((label) => ({ label, score: fits(label, text) }))
    .filter((x) => x.score !== undefined)
    .sort((a, b) => a.score! - b.score!)
    .map((x) => x.label);

test("a whole word comes before a beginning, that before the middle, letters in order last", () => {
  expect(
    best("rank", "sn / prerank", "sn / rank-depth", "run anything now, kindly", "Sn / Rank", "points"),
  ).toEqual(["Sn / Rank", "sn / rank-depth", "sn / prerank", "run anything now, kindly"]);
});

test("words of other scripts are words", () => {
  expect(best("链路", "全链路", "链路")).toEqual(["链路", "全链路"]);
});
