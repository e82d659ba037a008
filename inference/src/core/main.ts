/**
 * Runs one command of the video engine with `@ffmpeg/core` and ends, as `ffmpeg` would. Its argument is JSON: the command and the
 * names of the files, which are pipes. The exit code says why a run failed.
 */
import { readFileSync, readSync, writeSync } from "node:fs";
import { createRequire } from "node:module";
import { z } from "zod";
import { engineCommandSchema } from "../../../src/work/video/engine/engine-commands.ts";
import { EngineError, type EngineInput, type EngineOutput } from "../../../src/work/video/engine/engine.ts";
import { WasmEngine } from "../../../src/work/video/engine/wasm-engine.ts";
import { exitCodeOf } from "./exit-codes.ts";

const argumentSchema = z.strictObject({
  command: engineCommandSchema,
  inputs: z.array(z.string()),
  outputs: z.array(z.string()),
  firstDescriptor: z.int().min(3),
});

/** A frame of 3840×2160 pixels has 12 MB, and decoders hold up to 16 frames. */
const MEMORY = { mostBytes: 1_500_000_000, reuseBelowBytes: 0 };
/** The parent ends the process when its run has taken too long. */
const TIMEOUT_MS = 24 * 60 * 60 * 1000;

/** A method that the Workers' types omit, because a Worker compiles nothing. */
interface Compiler {
  compile(bytes: Uint8Array): Promise<WebAssembly.Module>;
}

async function compiledCore(): Promise<WebAssembly.Module> {
  const file = createRequire(import.meta.url).resolve("@ffmpeg/core/wasm");
  return await (WebAssembly as unknown as Compiler).compile(readFileSync(file));
}

/** A pipe to read from. Reading waits, since this process has nothing else to do. */
function inputOf(descriptor: number): EngineInput {
  return {
    read: (maxBytes) => {
      const bytes = new Uint8Array(maxBytes);
      return bytes.subarray(0, readSync(descriptor, bytes));
    },
  };
}

function outputOf(descriptor: number): EngineOutput {
  return {
    write: (chunk) => {
      for (let at = 0; at < chunk.length;) at += writeSync(descriptor, chunk, at);
    },
  };
}

// The core treats an environment with `self` as a browser's worker.
Object.assign(globalThis, { self: globalThis });
try {
  const { command, inputs, outputs, firstDescriptor } = argumentSchema.parse(
    JSON.parse(process.argv[2] ?? ""),
  );
  const engine = new WasmEngine(await compiledCore(), MEMORY);
  const firstOutput = firstDescriptor + inputs.length;
  await engine.run({
    command,
    inputs: Object.fromEntries(inputs.map((name, index) => [name, inputOf(firstDescriptor + index)])),
    outputs: Object.fromEntries(outputs.map((name, index) => [name, outputOf(firstOutput + index)])),
    timeoutMs: TIMEOUT_MS,
  });
} catch (error) {
  process.exitCode = exitCodeOf(error instanceof EngineError ? error.code : "crashed");
}
