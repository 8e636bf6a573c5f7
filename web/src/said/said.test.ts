import i18next from "i18next";
import { afterEach, describe, expect, it } from "vitest";
import parts from "./parts.zh.json";
import { Phrasebook } from "./phrasebook";
import { openBook, said } from "./said";
import sentences from "./sentences.zh.json";
import { book } from "./zh";

afterEach(() => i18next.changeLanguage("en"));

const verbs = /%[-+# 0]*\d*(?:\.\d+)?([a-zA-Z])/g;

/** What could stand in the n-th hole of this kind. */
function filling(kind: string, n: number): string {
  if (kind === "d") return `${n}1`;
  if ("efg".includes(kind)) return `${n}.5`;
  return kind === "q" ? `"q${n}"` : `s${n}`;
}

/** A sentence as Go forms it, and what the book is to make of it. */
function sample(form: string, text: string): [string, string] {
  const masked = form.replaceAll("%%", "\0\0");
  const holes: string[] = [];
  let end = -1;
  let sentence = "";
  for (const m of masked.matchAll(verbs)) {
    // Of two holes side by side the second is empty where it is no tail.
    holes.push(m.index === end && end > 0 ? "" : filling(m[1]!, holes.length + 1));
    sentence += masked.slice(Math.max(end, 0), m.index) + holes.at(-1)!;
    end = m.index + m[0].length;
  }
  sentence = (sentence + masked.slice(Math.max(end, 0))).replaceAll("\0\0", "%");
  const head = /^[;:, ]/.test(form) ? "so it was" : "";
  const wanted = text.replace(/\{(\d+)([~-]?)\}/g, (_, n, how) =>
    how === "-" ? "" : (holes[Number(n) - 1] ?? "?"),
  );
  return [head + sentence, head + wanted];
}

describe("the Chinese phrasebook", () => {
  it("words each form by that form and none that is like it", () => {
    const all = Object.entries({ ...sentences, ...parts });
    expect(all.length).toBeGreaterThan(700);
    for (const [form, text] of all) {
      const [sentence, wanted] = sample(form, text);
      expect.soft(book.say(sentence), form).toBe(wanted);
    }
  });

  it.each([
    ["name or password is wrong", "用户名或密码错误"],
    ["tag_count wants int 10..200, got 250 at level 9", "tag_count 应为 int 10..200，实际为 250（档位 9）"],
    ["depth wants int 1..5, got nothing", "depth 应为 1..5 的整数，实际为空"],
    ["the plan is held, only a draft is approved", "预案状态为已挂起，只有草稿可以批准"],
    ['no quota-group "g7"', '没有配额组 "g7"'],
    ["you may not publish on app model in IDC zjk", "您没有在机房 zjk 对应用 model 发布的权限"],
    [
      "frozen until 2026-11-11T02:00:00+08:00: a claim needs a reason",
      "封网至 2026-11-11T02:00:00+08:00：a claim needs a reason",
    ],
    [
      "3 machines of model build 42 would refuse: top wants int 1..5, got 9 at level 2 (and 4 more)",
      "model 版本 42 的 3 台机器会拒绝：top 应为 1..5 的整数，实际为 9（档位 2）（另有 4 个）",
    ],
    [
      "all 12 machines need 31 % more for the same work at score than some minutes ago, at the same traffic; its level fell by 12 % to 7.3",
      "12 台机器在 score 做同样的工作都比几分钟前多耗 31 %，流量未变；档位下降 12 %，至 7.3",
    ],
    [
      "build 43 needs 31 % more for the same work at score than the build before; its level fell by 12 % to 7.3",
      "版本 43 在 score 做同样的工作比前一版本多耗 31 %；档位下降 12 %，至 7.3",
    ],
    [
      "RT 335 ms against 300 while the preset is held: row 280 to 262 ms",
      "预调保持中，RT 335 ms，目标 300：表行 280 → 262 ms",
    ],
    [
      "target 300ms to 160ms: preset of 158 ms for 10s; the table begins at 80 ms",
      "目标 300ms → 160ms：预调 158 ms，保持 10s；分配表始于 80 ms",
    ],
    [
      "k2 in zjk: RT 170 ms against 160, +3.1 % off for 4 windows: time below 1.000 to 0.961; call 1: RT 90 ms against 80: within the band",
      "k2（zjk）：RT 170 ms，目标 160，连续 4 个窗口偏离 +3.1 %：下游时间 1.000 → 0.961；调用 1：RT 90 ms，目标 80：在容差之内",
    ],
    ["mean 8.11ms against 8ms, n=300: level 4 to 3", "平均 8.11ms，目标 8ms，n=300：档位 4 → 3"],
  ])("words %j", (sentence, wanted) => expect(book.say(sentence)).toBe(wanted));

  it("leaves alone what no program of ours says", () => {
    expect(book.say("machine in repair")).toBeUndefined();
    expect(book.say("")).toBeUndefined();
    expect(book.say("a".repeat(5000))).toBeUndefined();
  });

  it("is not held up by a text made to be slow", () => {
    const many = new Phrasebook(sentences, parts);
    expect(many.say(`x wants ${" wants , got ".repeat(250)}`)).toBeDefined();
  });
});

describe("said", () => {
  it("keeps the server's English for an English reader, and words it for a Chinese one", async () => {
    const sentence = "the plan changed meanwhile";
    expect(said(sentence)).toBe(sentence);
    await openBook("zh");
    expect(said(sentence)).toBe(sentence);
    await i18next.changeLanguage("zh");
    expect(said(sentence)).toBe("预案其间已被修改");
    expect(said("as an older server put it")).toBe("as an older server put it");
    expect(said(undefined)).toBeUndefined();
  });
});
