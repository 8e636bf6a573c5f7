import { describe, expect, it } from "vitest";
import { parseTable, writeTable } from "./clipboard";

describe("what a spreadsheet copies", () => {
  it.each([
    [
      "a\tb\r\nc\td\r\n",
      [
        ["a", "b"],
        ["c", "d"],
      ],
    ],
    ["1\t\t3\n", [["1", "", "3"]]],
    ["12", [["12"]]],
    ["a\n\nb", [["a"], [""], ["b"]]],
    ['"two\nlines"\tx', [["two\nlines", "x"]]],
    ['"say ""hi"""', [['say "hi"']]],
    ['5" pipe\tx', [['5" pipe', "x"]]],
    ['"open', [['"open']]],
    ["a\t", [["a", ""]]],
    ["", []],
  ])("%j", (text, want) => expect(parseTable(text)).toEqual(want));

  it("reads back what it writes", () => {
    const rows = [
      ["1", 'a "b"', ""],
      ["x\ty", "two\nlines", "z"],
    ];
    expect(parseTable(writeTable(rows))).toEqual(rows);
  });
});
