/**
 * A phrasebook turns sentences that programs have formed back into their format and words them in another
 * language. Its keys are the formats as the Go source has them, verbs and all; scripts/archtest holds the
 * keys to the source, so a sentence that is new or reworded is not forgotten here.
 *
 * What stands in a sentence's holes is kept letter by letter: {2} puts the second in as it is, {2~} words it
 * with the same book (a state, "nothing", a sentence within the sentence), {2-} drops what only English needs.
 *
 * A form that begins with ";", ":", "," or a space is a tail: it follows any sentence of the book. A sentence
 * that no form fits stays as it is, in English.
 */
export type Forms = Record<string, string>;

interface Phrase {
  literals: string[]; // between the holes
  pattern: RegExp;
  text: string;
  holes: number;
  weight: number; // characters of literals: the more, the more certain
}

/** One of fmt's verbs with flags, width and precision. */
const verb = /%[-+# 0]*\d*(?:\.\d+)?([a-zA-Z])/g;
const tail = /^[;:, ]/;
const numeric = "[-+]?(?:\\d[\\d.,]*(?:e[-+]?\\d+)?|Inf|NaN)";
const escaped = (s: string) => s.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

function hole(kind: string): string {
  if (kind === "d") return "(-?\\d+)";
  if ("eEfFgG".includes(kind)) return `(${numeric})`;
  return kind === "q" ? '(".*?")' : "(.*?)";
}

function phraseOf(form: string, text: string): Phrase {
  const literals: string[] = [];
  let pattern = "^";
  let from = 0;
  let before = "";
  const literal = (to?: number) => {
    before = form.slice(from, to).replaceAll("%%", "%");
    literals.push(before);
    pattern += escaped(before);
  };
  let holes = 0;
  for (const m of form.replaceAll("%%", "\0\0").matchAll(verb)) {
    literal(m.index);
    // Two holes without a letter between: the second is a tail or nothing.
    pattern += holes > 0 && before === "" ? "((?:; | \\(| at level ).*)?" : hole(m[1]!);
    holes++;
    from = m.index + m[0].length;
  }
  literal();
  return {
    literals: literals.filter(Boolean),
    pattern: new RegExp(`${pattern}$`, "s"),
    text,
    holes,
    weight: literals.join("").length,
  };
}

export class Phrasebook {
  private readonly exact = new Map<string, string>();
  private readonly phrases: Phrase[] = [];
  private readonly known = new Map<string, string | undefined>();

  constructor(...books: Forms[]) {
    for (const [form, text] of books.flatMap((b) => Object.entries(b))) {
      // The head of a tail is one hole more, before all others.
      const p = tail.test(form)
        ? phraseOf(`%s${form}`, `{1~}${text.replace(/\{(\d+)/g, (_, n) => `{${Number(n) + 1}`)}`)
        : phraseOf(form, text);
      if (p.holes) this.phrases.push(p);
      else this.exact.set(p.literals.join(""), text);
    }
    this.phrases.sort((a, b) => b.weight - a.weight || a.holes - b.holes);
  }

  /** The sentence in the book's language; undefined when no form fits it. */
  say(sentence: string): string | undefined {
    if (sentence.length > 4000) return undefined;
    if (!this.known.has(sentence)) {
      if (this.known.size > 2000) this.known.clear();
      this.known.set(sentence, this.find(sentence));
    }
    return this.known.get(sentence);
  }

  private find(sentence: string): string | undefined {
    const exact = this.exact.get(sentence);
    if (exact !== undefined) return exact;
    for (const p of this.phrases) {
      const holes = fits(p, sentence) && p.pattern.exec(sentence);
      if (holes)
        return joined(
          p.text.replace(/\{(\d+)([~-]?)\}/g, (_, n, how) => {
            const got = holes[Number(n)] ?? "";
            const worded = how === "~" && got !== "" ? this.say(got) : undefined;
            return how === "-" ? "" : worded === undefined ? got : joint + worded;
          }),
        );
    }
    return undefined;
  }
}

const joint = "\ue000";

/** Takes the space out that a hole has for what stays English, where Chinese came to stand between Chinese. */
const joined = (s: string) =>
  s.replace(/(?<=[\u3000-\u9fff\uff00-\uffef]) \ue000(?=[\u3000-\u9fff])|\ue000/g, "");

/** Whether the literals stand in the sentence in their order: cheap, and most forms end here. */
function fits(p: Phrase, sentence: string): boolean {
  let at = 0;
  for (const l of p.literals) {
    at = sentence.indexOf(l, at);
    if (at < 0) return false;
    at += l.length;
  }
  return true;
}
