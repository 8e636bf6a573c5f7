import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export async function freePort(): Promise<number> {
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

export interface Controller {
  url: string;
  password: string;
  stop(signal?: NodeJS.Signals): Promise<void>;
}

/** Starts the built binary ("demo" or "serve") on a data folder and waits until it is ready. */
export async function launch(
  command: "demo" | "serve",
  data: string,
  ports?: { http: number; grpc: number },
): Promise<Controller> {
  const binary = process.env.ALLSPARK_BINARY ?? "../bin/allspark";
  const { http, grpc } = ports ?? { http: await freePort(), grpc: await freePort() };
  const child: ChildProcess = spawn(
    binary,
    [command, "--data_dir", data, "--http.addr", `127.0.0.1:${http}`, "--grpc.addr", `127.0.0.1:${grpc}`],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  let out = "";
  child.stdout?.on("data", (d: Buffer) => (out += d.toString()));
  child.stderr?.on("data", (d: Buffer) => (out = (out + d.toString()).slice(-16_000)));
  const stop = async (signal: NodeJS.Signals = "SIGTERM") => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((ok) => child.once("exit", ok));
    child.kill(signal);
    const timer = setTimeout(() => child.kill("SIGKILL"), 10_000);
    await gone;
    clearTimeout(timer);
  };
  const url = `http://127.0.0.1:${http}`;
  let password = "";
  for (const end = Date.now() + 60_000; ;) {
    password ||= /sign in\s+admin\s+(\S+)/.exec(out)?.[1] ?? "";
    const ready = await fetch(`${url}/readyz`).then(
      (r) => r.ok,
      () => false,
    );
    if (ready && (password || ports)) return { url, password, stop };
    if (child.exitCode !== null || Date.now() > end) {
      await stop();
      throw new Error(`${command} did not become ready:\n${out}`);
    }
    await new Promise((ok) => setTimeout(ok, 200));
  }
}

/** One demo for the whole run; its address and the password it prints once go into the environment. */
export default async function start() {
  if (process.env.ALLSPARK_E2E_URL && process.env.ALLSPARK_E2E_PASSWORD) return undefined;
  const data = mkdtempSync(join(tmpdir(), "allspark-e2e-"));
  const demo = await launch("demo", data);
  process.env.ALLSPARK_E2E_URL = demo.url;
  process.env.ALLSPARK_E2E_PASSWORD = demo.password;
  return async () => {
    await demo.stop();
    rmSync(data, { recursive: true, force: true });
  };
}
