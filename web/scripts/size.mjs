// Fails when what the browser loads before any page's own chunk is above the
// budget: the entry, everything it imports statically, and its styles.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";

const budget = 400 * 1000; // bytes, gzip

let dist = resolve(import.meta.dirname, "../dist");
let scratch;
if (!existsSync(join(dist, "index.html"))) {
  scratch = mkdtempSync(join(tmpdir(), "allspark-size-"));
  await build({ logLevel: "error", build: { outDir: scratch, emptyOutDir: true } });
  dist = scratch;
}

const html = readFileSync(join(dist, "index.html"), "utf8");
const first = new Set();
const visit = (file) => {
  if (first.has(file)) return;
  first.add(file);
  if (!file.endsWith(".js")) return;
  const code = readFileSync(join(dist, file), "utf8");
  // Static imports only: import("…") is a page's own chunk.
  for (const m of code.matchAll(/(?:from|import)\s*"\.\/([^"]+\.js)"/g)) visit(`assets/${m[1]}`);
};
for (const m of html.matchAll(/(?:src|href)="\/([^"]+\.(?:js|css))"/g)) visit(m[1]);

const gzip = (file) => gzipSync(readFileSync(join(dist, file)), { level: 9 }).length;
const sizes = [...first].map((f) => [f, gzip(f)]).sort((a, b) => b[1] - a[1]);
const total = sizes.reduce((n, [, s]) => n + s, 0);
for (const [file, size] of sizes) console.log(`${(size / 1000).toFixed(1).padStart(8)} kB  ${file}`);
const lazy = readdirSync(join(dist, "assets")).filter(
  (f) => f.endsWith(".js") && !first.has(`assets/${f}`),
).length;
console.log(
  `first load ${(total / 1000).toFixed(1)} kB gzip of ${budget / 1000} kB; ${lazy} chunks load later`,
);
if (scratch) rmSync(scratch, { recursive: true });
if (total > budget) {
  console.error("first load is over budget");
  process.exit(1);
}
