/** The media service: works on videos that a Worker has no room for. `MEDIA_SERVICE_TOKEN=… node --experimental-wasm-jspi engine/src/main.ts` */
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { z } from "zod";
import type { VideoEngine } from "../../src/video/engine/engine.ts";
import { WasmEngine } from "../../src/video/engine/wasm-engine.ts";
import { NativeEngine } from "./native-engine.ts";
import { createEngineServer } from "./server.ts";

const envSchema = z.object({
  HOST: z.string().default("0.0.0.0"),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  MEDIA_SERVICE_TOKEN: z
    .string()
    .min(16, "MEDIA_SERVICE_TOKEN is missing or too short; use 16 characters or more."),
  /** Which engine: the `ffmpeg` that is installed, the one that comes along, or the first where it is there. */
  MEDIA_SERVICE_ENGINE: z.enum(["auto", "native", "wasm"]).default("auto"),
  MEDIA_SERVICE_PARALLEL_RUNS: z.coerce.number().int().positive().default(availableParallelism()),
});

/** A frame of 3840×2160 pixels has 12 MB, and decoders keep up to 16 of them. */
const WASM_MEMORY = { mostBytes: 1_500_000_000, reuseBelowBytes: 96 * 1024 * 1024 };
/** Runs that wait hold their compressed source. */
const MOST_WAITING_RUNS = 8;

async function wasmEngine(): Promise<VideoEngine> {
  // The core takes what has these for a browser's worker.
  Object.assign(globalThis, { self: globalThis });
  const file = createRequire(import.meta.url).resolve("@ffmpeg/core/wasm");
  return new WasmEngine(await compiled(await readFile(file)), WASM_MEMORY);
}

/** What the Workers' types leave out, since a Worker compiles nothing. */
interface Compiler {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
}

async function compiled(bytes: Uint8Array): Promise<WebAssembly.Module> {
  return await (WebAssembly as unknown as Compiler).compile(bytes);
}

function log(event: string, fields: Readonly<Record<string, unknown>>): void {
  const line = { time: new Date().toISOString(), level: "info", event, ...fields };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const parsed = envSchema.safeParse(process.env);
if (!parsed.success) {
  process.stderr.write(`The media service is not configured: ${z.prettifyError(parsed.error)}\n`);
  process.exit(1);
}
const env = parsed.data;
const hasNative = spawnSync("ffmpeg", ["-version"], { stdio: "ignore" }).status === 0;
const isNative = env.MEDIA_SERVICE_ENGINE === "native" || (env.MEDIA_SERVICE_ENGINE === "auto" && hasNative);
const engine = isNative ? new NativeEngine(env.MEDIA_SERVICE_PARALLEL_RUNS) : await wasmEngine();
const mostRuns = MOST_WAITING_RUNS + env.MEDIA_SERVICE_PARALLEL_RUNS;
const server = createEngineServer({ engine, token: env.MEDIA_SERVICE_TOKEN, mostRuns, log });
server.listen(env.PORT, env.HOST);
await once(server, "listening");
log("listening", { port: env.PORT, engine: isNative ? "native" : "wasm" });
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    // Runs that are broken off are tried again by who asked for them.
    server.close();
    server.closeAllConnections();
    process.exit(0);
  });
}
