import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";
import { gzip } from "./vite.gzip.ts";

export default defineConfig({
  plugins: [react(), gzip()],
  server: { proxy: { "/api": process.env.ALLSPARK_URL ?? "http://127.0.0.1:8080" } },
  build: {
    outDir: "dist",
    // dist/.gitkeep must survive a build: the Go embed needs it in a clean checkout, and public/ brings it back.
    emptyOutDir: true,
    chunkSizeWarningLimit: 1500,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: "react", test: /node_modules[\\/](react|react-dom|scheduler|react-router)[\\/]/ },
            { name: "echarts", test: /node_modules[\\/](echarts|zrender)[\\/]/ },
          ],
        },
      },
    },
  },
  test: {
    testTimeout: 20_000,
    environment: "jsdom",
    setupFiles: ["src/test/setup.ts"],
    include: ["src/**/*.test.{ts,tsx}"],
    css: false,
    restoreMocks: true,
  },
});
