import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

async function freePort(): Promise<number> {
  return new Promise((ok, fail) => {
    const server = createServer();
    server.once("error", fail);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() =>
        address && typeof address === "object" ? ok(address.port) : fail(new Error("no port")),
      );
    });
  });
}

/** Starts the built binary with its sample engine, waits until it is ready, and reads the password it prints once. */
export default async function start() {
  if (process.env.ALLSPARK_E2E_URL && process.env.ALLSPARK_E2E_PASSWORD) return undefined;
  const binary = process.env.ALLSPARK_BINARY ?? "../bin/allspark";
  const data = mkdtempSync(join(tmpdir(), "allspark-e2e-"));
  const [http, grpc] = [await freePort(), await freePort()];
  const child: ChildProcess = spawn(
    binary,
    ["demo", "--data_dir", data, "--http.addr", `127.0.0.1:${http}`, "--grpc.addr", `127.0.0.1:${grpc}`],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let out = "";
  let err = "";
  child.stdout?.on("data", (d: Buffer) => (out += d.toString()));
  child.stderr?.on("data", (d: Buffer) => (err = (err + d.toString()).slice(-4_000)));
  const stop = async () => {
    if (child.exitCode === null) {
      const gone = new Promise((ok) => child.once("exit", ok));
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
      await gone;
      clearTimeout(timer);
    }
    rmSync(data, { recursive: true, force: true });
  };
  const url = `http://127.0.0.1:${http}`;
  for (const end = Date.now() + 45_000; ;) {
    const password = /sign in\s+admin\s+(\S+)/.exec(out)?.[1];
    const ready = await fetch(`${url}/readyz`).then(
      (r) => r.ok,
      () => false,
    );
    if (password && ready) {
      process.env.ALLSPARK_E2E_URL = url;
      process.env.ALLSPARK_E2E_PASSWORD = password;
      return stop;
    }
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`the demo did not become ready:\n${out}\n${err}`);
    }
    await new Promise((ok) => setTimeout(ok, 200));
  }
}
