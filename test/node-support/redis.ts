import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { TestProject } from "vitest/node";
import { restBridge } from "./redis-rest.ts";

const READY_TIMEOUT_MS = 10_000;

export const REDIS_TOKEN = "test-redis-token";

/**
 * Starts a `redis-server` behind a bridge that speaks the REST protocol of Upstash, for the tests of the rate
 * limiter. If it is not installed, its address is empty and those tests are skipped.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const directory = await mkdtemp(join(tmpdir(), "veil-redis-"));
  const socketPath = join(directory, "redis.sock");
  const redis = await start(socketPath);
  if (redis === undefined) {
    process.stderr.write(
      "SKIPPED: redis-server is not installed, so the rate limiter is not tested against Redis.\n",
    );
    project.provide("redisUrl", "");
    await rm(directory, { recursive: true, force: true });
    return async () => await Promise.resolve();
  }
  const bridge = createServer(restBridge({ socketPath, token: REDIS_TOKEN }));
  bridge.listen(0, "127.0.0.1");
  await once(bridge, "listening");
  const address = bridge.address();
  const port = typeof address === "object" ? address?.port : undefined;
  project.provide("redisUrl", `http://127.0.0.1:${port}`);
  return async () => {
    bridge.closeAllConnections();
    bridge.close();
    const exited = once(redis, "exit");
    redis.kill();
    await exited;
    await rm(directory, { recursive: true, force: true });
  };
}

async function start(socketPath: string): Promise<ChildProcess | undefined> {
  const redis = spawn(
    "redis-server",
    ["--port", "0", "--unixsocket", socketPath, "--save", "", "--appendonly", "no"],
    { stdio: "ignore" },
  );
  const isStarted = await Promise.race([
    once(redis, "error").then(() => false),
    accepts(socketPath).then(() => true),
  ]);
  return isStarted ? redis : undefined;
}

async function accepts(socketPath: string): Promise<void> {
  const deadline = Date.now() + READY_TIMEOUT_MS;
  while (Date.now() < deadline) {
    const socket = connect(socketPath);
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false);
    socket.destroy();
    if (isOpen) return;
    await delay(20);
  }
  throw new Error("redis-server did not start in time.");
}

declare module "vitest" {
  export interface ProvidedContext {
    redisUrl: string;
  }
}
