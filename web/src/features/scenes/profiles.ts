import { samePlace } from "./graph";
import type { Profile, SceneGraph, SceneLive, SceneNode, ScenePlace } from "./types";

export type Format = "csv" | "json";

/** Which form a document has: its name says so, else how it begins. */
export function formatOf(name: string, text: string): Format {
  const ending = /\.(csv|json|ya?ml)$/i.exec(name)?.[1]?.toLowerCase();
  if (ending) return ending === "csv" ? "csv" : "json";
  return /^\s*(\{|\[|classes:|levels:)/.test(text) ? "json" : "csv";
}

/**
 * Where a line and column of the server lie in a text, up to the end of the cell
 * or value there. The server counts a CSV's columns in bytes, a JSON's in characters.
 */
export function rangeOf(text: string, line: number, column: number, format: Format): [number, number] {
  let start = 0;
  for (let n = 1; n < line; n++) {
    const next = text.indexOf("\n", start);
    if (next < 0) return [text.length, text.length];
    start = next + 1;
  }
  const end = text.indexOf("\n", start);
  const row = text.slice(start, end < 0 ? text.length : end).replace(/\r$/, "");
  let at = 0;
  for (let count = 1; at < row.length && count < column;) {
    const c = row.codePointAt(at)!;
    count += format === "csv" ? (c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4) : 1;
    at += c > 0xffff ? 2 : 1;
  }
  const rest = row.slice(at);
  const length = rest.search(format === "csv" ? /,/ : /[,}\]]/);
  return [start + at, start + at + (length < 0 ? rest.length : length)];
}

/** A point of the graph with a profile that may speak for it, or with what is missing. */
export interface Row {
  node: SceneNode;
  profile?: Profile;
  used: boolean;
  stale?: string; // why it may no longer say what is true
  missing?: string; // why no profile speaks for the point
}

/** The profiles that may speak for a scene's points, what serves first; a point without one has a row that says so. */
export function rowsOf(graph: SceneGraph, profiles: Profile[], scene: string, live: SceneLive): Row[] {
  return graph.nodes.flatMap((node): Row[] => {
    const own = profiles.filter((p) => samePlace(p, node.place) && (p.scene === scene || p.scene === "*"));
    const served = live.served.find((s) => samePlace(s.place, node.place))?.profile;
    const missing = live.missing.find((m) => samePlace(m.place, node.place))?.reason;
    const said = live.stale.find((m) => samePlace(m.place, node.place))?.reason;
    const rows = own
      .map((profile): Row => {
        const used = profile.id === served;
        return {
          node,
          profile,
          used,
          // The builder knows the level table in force; the profile alone knows its age.
          stale: (used && said) || (profile.stale ? (profile.stale_reason ?? "") : undefined),
          missing: used ? missing : undefined,
        };
      })
      .sort((a, b) => Number(b.used) - Number(a.used) || a.profile!.age_ms - b.profile!.age_ms);
    // A call tells its own time where something runs within it: it needs no profile.
    if (rows.length === 0)
      return node.external && !missing ? [] : [{ node, used: false, missing: missing ?? "" }];
    if (missing && !rows.some((r) => r.missing)) rows[0]!.missing = missing;
    return rows;
  });
}

/** The version of the uploaded profile that another upload of the same would replace; 0 for a first one. */
export function replacedBy(profiles: Profile[], place: ScenePlace, scene: string, table: string): number {
  return (
    profiles.find(
      (p) => p.source === "uploaded" && samePlace(p, place) && p.scene === scene && (p.table ?? "") === table,
    )?.version ?? 0
  );
}

/** What a document may look like, in both forms. */
export const samples: Record<Format, string> = {
  csv: "level,p50,p95,p99,work,effect,output,samples\n1,2.1,4.0,6.5,1.2,0.40,50,5000\n2,3.4,6.2,9.8,2.0,0.62,80,5000\n",
  json: '{"levels": [\n  {"level": 1, "p50": 2.1, "p99": 6.5, "work": 1.2, "effect": 0.40, "samples": 5000},\n  {"level": 2, "p50": 3.4, "p99": 9.8, "work": 2.0, "effect": 0.62, "samples": 5000}\n]}\n',
};
