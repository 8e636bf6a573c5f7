import type { QuotaCurve } from "./types";
import { number } from "./units";

/** Gain curves as text, a bucket a line: "from value: quota=gain quota=gain". */
export function curvesText(curves: QuotaCurve[] | null | undefined): string {
  return (curves ?? [])
    .map((c) => `${c.from} ${c.value}: ${c.points.map((p) => `${p.quota}=${p.gain}`).join(" ")}`)
    .join("\n");
}

/** Reads them back; a line that is none gives its number. */
export function readCurves(text: string): { curves: QuotaCurve[] } | { line: number } {
  const curves: QuotaCurve[] = [];
  for (const [i, line] of text.split("\n").entries()) {
    if (!line.trim()) continue;
    const bad = { line: i + 1 };
    const [head, tail, ...more] = line.split(":");
    const [from, value, ...rest] = head!.trim().split(/\s+/).map(number);
    if (tail === undefined || more.length || rest.length || from === undefined || !(value! > 0)) return bad;
    if (curves.length && from <= curves[curves.length - 1]!.from) return bad;
    const points = tail
      .trim()
      .split(/\s+/)
      .map((p) => p.split("=").map(number));
    const rises = points.every(
      (p, k) =>
        p.length === 2 &&
        p[0] !== undefined &&
        p[1] !== undefined &&
        p[0] >= 1 &&
        p[0] <= 1e6 &&
        (k === 0 || p[0] > points[k - 1]![0]!),
    );
    if (!rises || points.length > 32) return bad;
    curves.push({ from, value: value!, points: points.map((p) => ({ quota: p[0]!, gain: p[1]! })) });
  }
  if (curves.length > 16) return { line: text.split("\n").length };
  return { curves };
}
