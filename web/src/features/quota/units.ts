const scale: Record<string, number> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
};

/** A Go duration such as "1.5s" or "1m30s" in milliseconds; undefined when it is none. */
export function duration(text: string): number | undefined {
  if (!/^(\d+(\.\d+)?(ns|us|µs|μs|ms|s|m|h))+$/.test(text)) return undefined;
  let out = 0;
  for (const [, n, unit] of text.matchAll(/(\d+(?:\.\d+)?)(ns|us|µs|μs|ms|s|m|h)/g))
    out += Number(n) * scale[unit!]!;
  return out;
}

/** A number as a person writes it; undefined when the text is none. */
export function number(text: string): number | undefined {
  if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(text.trim())) return undefined;
  const v = Number(text);
  return Number.isFinite(v) ? v : undefined;
}

/** Three digits that matter: 0.0123, 1.25, 181, 40 000. */
export function digits(v: number | null | undefined): string {
  if (v == null || !Number.isFinite(v)) return "–";
  if (v === 0) return "0";
  const size = Math.abs(v);
  if (size >= 1e6) return `${Number((v / 1e6).toPrecision(4))} M`;
  if (size >= 100)
    return Math.round(v)
      .toString()
      .replace(/\B(?=(\d{3})+$)/g, "\u202f");
  return String(Number(v.toPrecision(3)));
}
