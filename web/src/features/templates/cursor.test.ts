import { describe, expect, it } from "vitest";
import { at, blockOf, isOne, move } from "./cursor";

const size = { rows: 100, cols: 12, page: 20 };

describe("the grid's cursor", () => {
  it.each([
    ["ArrowDown", at(5, 3), at(6, 3)],
    ["ArrowUp", at(0, 3), at(0, 3)],
    ["ArrowRight", at(5, 11), at(5, 11)],
    ["ArrowLeft", at(5, 3), at(5, 2)],
    ["PageDown", at(90, 3), at(99, 3)],
    ["PageUp", at(30, 3), at(10, 3)],
    ["Home", at(5, 3), at(5, 0)],
    ["End", at(5, 3), at(5, 11)],
    ["Tab", at(5, 11), at(6, 0)],
  ])("%s", (key, from, to) => expect(move(from, { key }, size)).toEqual(to));

  it("jumps to the edge with the command key", () => {
    expect(move(at(5, 3), { key: "ArrowDown", jump: true }, size)).toEqual(at(99, 3));
    expect(move(at(5, 3), { key: "Home", jump: true }, size)).toEqual(at(0, 0));
  });

  it("leaves the grid by Tab at both ends", () => {
    expect(move(at(99, 11), { key: "Tab" }, size)).toBeUndefined();
    expect(move(at(0, 0), { key: "Tab", shift: true }, size)).toBeUndefined();
  });

  it("extends with shift and collapses without", () => {
    const wide = move(
      move(at(5, 3), { key: "ArrowDown", shift: true }, size)!,
      { key: "ArrowLeft", shift: true },
      size,
    )!;
    expect(blockOf(wide)).toEqual({ top: 5, bottom: 6, left: 2, right: 3 });
    expect(isOne(blockOf(wide))).toBe(false);
    expect(move(wide, { key: "ArrowUp" }, size)).toEqual(at(4, 3));
  });

  it("does not eat other keys", () => expect(move(at(0, 0), { key: "a" }, size)).toBeUndefined());
});
