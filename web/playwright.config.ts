import { defineConfig } from "@playwright/test";

// One demo for the whole run: globalSetup starts it on a free port and puts its
// address and generated password into the environment.
export default defineConfig({
  testDir: "e2e",
  workers: 1,
  retries: 0,
  timeout: 240_000, // the machine may be shared: a test alone takes a few seconds
  expect: { timeout: 30_000 },
  reporter: [["list"]],
  outputDir: "e2e-results",
  globalSetup: "./e2e/server.ts",
  use: {
    viewport: { width: 1440, height: 900 },
    locale: "en-GB",
    trace: "retain-on-failure",
    actionTimeout: 60_000, // a step that waits in vain leaves its test the time to tidy up
    navigationTimeout: 60_000,
    launchOptions: {
      executablePath: process.env.CHROMIUM_PATH ?? "/usr/bin/chromium",
      args: [
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  },
});
