import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

/** Packs what the server sends, once, at the build: FILE.gz beside FILE, where that is smaller. */
export function gzip(): Plugin {
  let dir = "";
  return {
    name: "gzip",
    apply: "build",
    configResolved: (config) => void (dir = resolve(config.root, config.build.outDir)),
    closeBundle() {
      for (const file of readdirSync(dir, { recursive: true, encoding: "utf8" })) {
        if (!/\.(js|css|html|svg|json)$/.test(file)) continue;
        const raw = readFileSync(join(dir, file));
        const packed = gzipSync(raw, { level: 9 });
        if (packed.length < raw.length * 0.9) writeFileSync(join(dir, `${file}.gz`), packed);
      }
    },
  };
}
