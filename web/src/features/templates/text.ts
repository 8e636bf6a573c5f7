/** Reads YAML into the tree, twin of server/template's parseYAML. A module of its own: the parser is loaded late. */
import { isAlias, isMap, isScalar, isSeq, LineCounter, parseAllDocuments, type Node as YamlNode } from "yaml";
import { joinPath, read, type Located, type ReadResult } from "./read";
import { node, type Node } from "./tree";
import { quoted, scalar, shown } from "./typecheck";

class Refused extends Error {
  readonly place: Located;
  constructor(place: Located) {
    super(place.message);
    this.place = place;
  }
}

export function parseText(text: string): { root?: Node; problems: Located[] } {
  const lines = new LineCounter();
  const docs = parseAllDocuments(text, {
    lineCounter: lines,
    uniqueKeys: false,
    strict: true,
    schema: "failsafe",
  });
  if (!Array.isArray(docs) || docs.length === 0 || !docs[0]?.contents)
    return {
      problems: [{ path: "", code: "required", message: "the document is empty", line: 1, column: 1 }],
    };
  const where = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const error = docs[0].errors[0];
  if (error) {
    const message = `not a yaml document: ${error.message.split("\n")[0]}`;
    return { problems: [{ path: "", code: "syntax", message, ...where(error.pos[0]) }] };
  }
  if (docs.length > 1)
    return {
      problems: [
        {
          path: "",
          code: "syntax",
          message: "one document is wanted, got several",
          ...where(docs[1]!.range?.[0]),
        },
      ],
    };
  const walk = (
    y: YamlNode | null,
    path: string,
    depth: number,
    at?: { line: number; column: number },
  ): Node => {
    const place = at ?? where(y?.range?.[0]);
    const refuse = (code: string, message: string) =>
      new Refused({ path, code, message, ...where(propertiesAt(text, y?.range?.[0] ?? 0)) });
    if (depth > 32) throw refuse("syntax", "nested more than 32 deep");
    if (y === null) return node({ token: "null", text: "" }, place.line, place.column);
    if (isAlias(y) || (y as { anchor?: string }).anchor)
      throw refuse("syntax", "aliases and anchors are not allowed");
    const tag = (y as { tag?: string }).tag;
    if (tag)
      throw refuse(
        "syntax",
        `tags such as ${shown(tag.replace("tag:yaml.org,2002:", "!!"))} are not allowed`,
      );
    const out = node({ token: "null", text: "" }, place.line, place.column);
    if (isScalar(y)) {
      const plain = y.type === "PLAIN" || y.type === undefined;
      out.raw = scalar(String((y.value as string | number | boolean | null | undefined) ?? ""), !plain);
    } else if (isSeq(y)) {
      out.raw = { token: "list", text: "" };
      out.kids = y.items.map((item, i) => walk(item as YamlNode | null, joinPath(path, `[${i}]`), depth + 1));
    } else if (isMap(y)) {
      out.raw = { token: "map", text: "" };
      for (const pair of y.items) {
        if (!isScalar(pair.key))
          throw new Refused({
            path,
            code: "syntax",
            message: "a key must be a plain text",
            ...where((pair.key as YamlNode | null)?.range?.[0]),
          });
        const key = String(pair.key.value);
        const keyAt = where(pair.key.range?.[0]);
        const kidPath = joinPath(path, key);
        if (out.keys.includes(key))
          throw new Refused({
            path: kidPath,
            code: "duplicate",
            message: `${quoted(key)} is given twice`,
            ...keyAt,
          });
        out.keys.push(key);
        out.kids.push(walk(pair.value as YamlNode | null, kidPath, depth + 1, keyAt));
      }
    }
    return out;
  };
  try {
    return { root: walk(docs[0].contents, "", 0), problems: [] };
  } catch (e) {
    if (e instanceof Refused) return { problems: [e.place] };
    throw e;
  }
}

// Where a node's anchor or tag begins: the parser's range starts behind them.
function propertiesAt(text: string, offset: number): number {
  const line = text.lastIndexOf("\n", offset - 1) + 1;
  const before = /(?:[&!]\S*\s+)+$/.exec(text.slice(line, offset));
  return before ? offset - before[0].length : offset;
}

/** Reads a document's text; the doc is undefined when it is not even a tree. */
export function readText(text: string): Partial<ReadResult> & { problems: Located[] } {
  const { root, problems } = parseText(text);
  return root ? read(root) : { problems };
}
