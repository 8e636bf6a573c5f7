// Lints the REST API's document with the rules of a public linter (Redocly's
// "recommended" set, errors and warnings alike): node scripts/lint-openapi.mjs [FILE]
import { createConfig, formatProblems, getTotals, lint } from "@redocly/openapi-core";

const file = process.argv[2] ?? "openapi.json";
const config = await createConfig({
  extends: ["recommended"],
  rules: {
    // The document names no licence and no public address: it describes whichever controller serves it.
    "info-license": "off",
    "no-server-example.com": "off",
    "no-empty-servers": "off",
  },
});
const problems = await lint({ ref: file, config });
const totals = getTotals(problems);
if (totals.errors + totals.warnings > 0) {
  formatProblems(problems, { format: "codeframe", totals, version: "", maxProblems: 30 });
  process.exit(1);
}
console.log(`${file}: no problem`);
