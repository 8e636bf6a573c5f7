/**
 * Reads what a spreadsheet puts on the clipboard: tab-separated, cells with tabs,
 * newlines or quotes wrapped in quotes that are doubled inside. The newline at
 * the very end is no row.
 */
export function parseTable(text: string): string[][] {
  const rows: string[][] = [[]];
  let cell = "";
  let i = 0;
  const end = () => {
    rows[rows.length - 1]!.push(cell);
    cell = "";
  };
  while (i < text.length) {
    const ch = text[i]!;
    if (ch === '"' && cell === "") {
      const close = closingQuote(text, i + 1);
      if (close > 0) {
        cell = text.slice(i + 1, close).replaceAll('""', '"');
        i = close + 1;
        continue;
      }
    }
    if (ch === "\t") end();
    else if (ch === "\n" || ch === "\r") {
      if (ch === "\r" && text[i + 1] === "\n") i++;
      end();
      if (i + 1 < text.length) rows.push([]);
    } else cell += ch;
    i++;
  }
  if (cell !== "" || rows[rows.length - 1]!.length > 0 ? !/[\r\n]$/.test(text) : false) end();
  return rows.filter((r) => r.length > 0);
}

// The quote that ends the cell: one that is not doubled and stands before a separator.
function closingQuote(text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] !== '"') continue;
    if (text[i + 1] === '"') i++;
    else return i + 1 === text.length || /[\t\r\n]/.test(text[i + 1]!) ? i : -1;
  }
  return -1;
}

export function writeTable(rows: readonly (readonly string[])[]): string {
  return rows
    .map((r) => r.map((c) => (/[\t\r\n"]/.test(c) ? `"${c.replaceAll('"', '""')}"` : c)).join("\t"))
    .join("\n");
}
