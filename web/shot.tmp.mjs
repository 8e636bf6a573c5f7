import { chromium } from "@playwright/test";
const [base, pw, out, lang, theme] = process.argv.slice(2);
const b = await chromium.launch({
  executablePath: "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ],
});
const ctx = await b.newContext({
  viewport: { width: 1440, height: 900 },
  locale: lang ?? "en-US",
  colorScheme: theme ?? "light",
});
const p = await ctx.newPage();
p.on("console", (m) => {
  if (m.type() === "error") console.log("console:", m.text());
});
p.on("pageerror", (e) => console.log("pageerror:", e.message));
await p.goto(base);
await p.waitForTimeout(1500);
await p.screenshot({ path: out + "/signin.png" });
await p.locator("input").first().fill("admin");
await p.locator('input[type="password"]').fill(pw);
await p.keyboard.press("Enter");
await p.waitForTimeout(2500);
const pages = (process.argv[7] ?? "/").split(",");
for (const u of pages) {
  await p.goto(base + u);
  await p.waitForTimeout(3000);
  await p.screenshot({ path: out + "/" + (u.replaceAll(/[^a-z0-9]+/gi, "_") || "home") + ".png" });
}
await b.close();
