import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Place } from "../../api/problem";
import { readText } from "./text";

// The server's golden documents: a document beside the problems it must give.
const dir = "../server/template/testdata/documents";
const files = readdirSync(dir).filter((f) => /\.(ya?ml)$/.test(f));

describe("the golden documents shared with Go", () => {
  it("are there", () => expect(files.length).toBeGreaterThan(0));
  it.each(files)("%s", (file) => {
    const text = readFileSync(`${dir}/${file}`, "utf8");
    const want = JSON.parse(readFileSync(`${dir}/${file.replace(/\.ya?ml$/, ".json")}`, "utf8")) as Place[];
    const got = readText(text).problems;
    // How a parser words broken syntax is its own business; that it is broken is not.
    const parser = (p: Place) => p.message.startsWith("not a yaml document");
    if (want.length === 1 && parser(want[0]!))
      expect(got.map((p) => [p.path, p.code, parser(p)])).toEqual([["", "syntax", true]]);
    else expect(got).toEqual(want);
  });
});
