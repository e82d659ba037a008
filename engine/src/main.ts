/**
 * The media service processes videos that are too large for a Worker. `MEDIA_SERVICE_TOKEN=… node --experimental-wasm-jspi
 * engine/src/main.ts`
 */
import { once } from "node:events";
import { availableParallelism } from "node:os";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { z } from "zod";
import type { VideoEngine } from "../../src/video/engine/engine.ts";
import { WasmEngine } from "../../src/video/engine/wasm-engine.ts";
import type { Abilities } from "../../src/video/engine/run-stream.ts";
import { nativeAbilities } from "./native-abilities.ts";
import type { LogLevel } from "../../src/platform/log.ts";
import { NativeEngine } from "./native-engine.ts";
import { createEngineServer } from "./server.ts";

function count(least: number, most: number) {
  return z.string().transform((text, context) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    const message = `Found ${JSON.stringify(text.slice(0, 20))}. Expected a whole number from ${least} to ${most}.`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

const TOKEN_FAULT = "It is missing or too short; use 16 characters or more.";

const envSchema = z.object({
  HOST: z.string().default("0.0.0.0"),
  PORT: count(0, 65_535).default(8080),
  MEDIA_SERVICE_TOKEN: z.string(TOKEN_FAULT).min(16, TOKEN_FAULT),
  /** Which engine: the `ffmpeg` that is installed, the one that comes along, or the first where it is there. */
  MEDIA_SERVICE_ENGINE: z.enum(["auto", "native", "wasm"], "Expected auto, native or wasm.").default("auto"),
  MEDIA_SERVICE_PARALLEL_RUNS: count(1, 256).default(availableParallelism()),
});

/** A frame of 3840×2160 pixels has 12 MB, and decoders hold up to 16 frames. */
const WASM_MEMORY = { mostBytes: 1_500_000_000, reuseBelowBytes: 96 * 1024 * 1024 };
/** The core has no decoder for AV1. */
const WASM_CODECS = ["avc", "hevc", "vp8", "vp9", "mpeg4", "mjpeg"];

/** An engine and its properties. */
interface ChosenEngine {
  readonly kind: "native" | "wasm";
  readonly engine: VideoEngine;
  readonly abilities: Abilities;
  readonly parallelRuns: number;
}

/** Returns the configured engine. If it is not available, ends the process with a sentence. */
async function chooseEngine(): Promise<ChosenEngine> {
  const native = env.MEDIA_SERVICE_ENGINE === "wasm" ? undefined : nativeAbilities();
  if (native !== undefined && native.missing.length === 0) {
    const abilities = { codecs: [...native.codecs] };
    const parallelRuns = env.MEDIA_SERVICE_PARALLEL_RUNS;
    return { kind: "native", engine: new NativeEngine(), abilities, parallelRuns };
  }
  if (env.MEDIA_SERVICE_ENGINE === "native") {
    fail(
      native === undefined
        ? "MEDIA_SERVICE_ENGINE is native, and no ffmpeg is installed."
        : `MEDIA_SERVICE_ENGINE is native, and the installed ffmpeg has no ${native.missing.join(", ")}.`,
    );
  }
  // A core runs one command at a time.
  return {
    kind: "wasm",
    engine: await wasmEngine(),
    abilities: { codecs: WASM_CODECS },
    parallelRuns: 1,
  };
}

async function wasmEngine(): Promise<VideoEngine> {
  // The core treats an environment with `self` as a browser's worker.
  Object.assign(globalThis, { self: globalThis });
  const file = createRequire(import.meta.url).resolve("@ffmpeg/core/wasm");
  return new WasmEngine(await compiled(await readFile(file)), WASM_MEMORY);
}

function fail(sentence: string): never {
  log("error", "start_failed", { faultMessage: sentence });
  process.exit(1);
}

/** A method that the Workers' types omit, because a Worker compiles nothing. */
interface Compiler {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
}

async function compiled(bytes: Uint8Array): Promise<WebAssembly.Module> {
  return await (WebAssembly as unknown as Compiler).compile(bytes);
}

function log(level: LogLevel, event: string, fields: Readonly<Record<string, unknown>>): void {
  const line = { time: new Date().toISOString(), level, event, ...fields };
  process.stdout.write(`${JSON.stringify(line)}\n`);
}

const parsed = envSchema.safeParse(process.env);
if (!parsed.success) {
  const faults = parsed.error.issues.map(({ path: [name = ""], message }) => `${String(name)}: ${message}`);
  fail(`The media service is not configured. ${faults.join(" ")}`);
}
const env = parsed.data;
const { kind, ...engine } = await chooseEngine();
const server = createEngineServer({ ...engine, token: env.MEDIA_SERVICE_TOKEN, log });
server.listen(env.PORT, env.HOST);
await once(server, "listening");
log("info", "listening", { port: env.PORT, engine: kind, codecs: engine.abilities.codecs });
for (const signal of ["SIGTERM", "SIGINT"] as const) {
  process.once(signal, () => {
    // The client of an interrupted run retries it.
    server.close();
    server.closeAllConnections();
    process.exit(0);
  });
}
