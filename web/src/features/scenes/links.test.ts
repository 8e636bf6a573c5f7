import { expect, it } from "vitest";
import { found, minuteOf, paneOf, queryOf } from "./links";

const read = (s: string) => queryOf(new URLSearchParams(s));

it("reads the page out of its address, and nothing else", () => {
  expect(read("")).toEqual({ view: "graph", find: "", hours: 1 });
  expect(read("view=table&idc=sh&hours=24&q=rank&at=2026-11-30T04:05:33Z")).toEqual({
    view: "table",
    idc: "sh",
    hours: 24,
    find: "rank",
    at: "2026-11-30T04:05:00.000Z",
  });
  expect(read("view=x&hours=7&at=yesterday&with=foo")).toEqual({ view: "graph", find: "", hours: 1 });
  expect(read("with=idc:").with).toBeUndefined();
  expect(read("with=at:soon").with).toBeUndefined();
});

it("sets beside it another room at the same moment, or another moment", () => {
  expect(paneOf(read(""))).toBeUndefined();
  expect(paneOf(read("with=idc:zjk"))).toEqual({ idc: "zjk", at: undefined });
  expect(paneOf(read("with=idc:zjk&at=2026-11-30T04:05:33Z"))).toEqual({
    idc: "zjk",
    at: "2026-11-30T04:05:00.000Z",
  });
  expect(paneOf(read("with=at:2026-11-30T03:00:59Z"))).toEqual({
    idc: undefined,
    at: "2026-11-30T03:00:00.000Z",
  });
});

it("finds nodes by id, app and point", () => {
  const node = { id: "sn/rank", place: { app: "sn", point: "rank" } };
  expect(found(" ", node)).toBeUndefined();
  expect(found("RANK", node)).toBe(true);
  expect(found("merge", node)).toBe(false);
  expect(minuteOf(59_999)).toBe("1970-01-01T00:00:00.000Z");
});
