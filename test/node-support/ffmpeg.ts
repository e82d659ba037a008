import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import createCore from "@ffmpeg/core";

interface Core {
  exec(...args: string[]): number;
  setLogger(logger: (line: { message: string }) => void): void;
  FS: {
    writeFile(path: string, data: Uint8Array): void;
    readFile(path: string): Uint8Array<ArrayBuffer>;
    unlink(path: string): void;
  };
}

/** Declarations that Node's types lack. */
interface WasmRuntime {
  compile(bytes: Uint8Array): Promise<object>;
  Instance: new (module: object, imports: object) => { exports: object };
}
const runtime = (globalThis as unknown as { WebAssembly: WasmRuntime }).WebAssembly;

let wasm: Promise<object> | undefined;

async function start(): Promise<Core> {
  wasm ??= readFile(createRequire(import.meta.url).resolve("@ffmpeg/core/wasm")).then(async (bytes) => {
    return await runtime.compile(bytes);
  });
  const module = await wasm;
  // Makes the core treat Node as a browser's worker.
  Object.assign(globalThis, { self: globalThis, location: { href: "https://tests.invalid/" } });
  return (await createCore({
    mainScriptUrlOrBlob: `#${btoa(JSON.stringify({ wasmURL: "ffmpeg-core.wasm" }))}`,
    instantiateWasm(imports: object, done: (instance: object) => void) {
      const instance = new runtime.Instance(module, imports);
      done(instance);
      return instance.exports;
    },
  })) as Core;
}

/** Runs ffmpeg on files in memory and returns the files with these names. Throws its last log lines if it fails. */
export async function ffmpegFiles(
  inputs: Readonly<Record<string, Uint8Array>>,
  args: readonly string[],
  outputs: readonly string[],
): Promise<{ files: Uint8Array<ArrayBuffer>[]; log: string }> {
  const core = await start();
  const lines: string[] = [];
  core.setLogger(({ message }) => lines.push(message));
  for (const [name, bytes] of Object.entries(inputs)) core.FS.writeFile(name, bytes);
  const code = core.exec(...args);
  if (code !== 0) throw new Error(`ffmpeg ended with ${code}:\n${lines.slice(-20).join("\n")}`);
  return { files: outputs.map((name) => core.FS.readFile(name)), log: lines.join("\n") };
}

/**
 * Runs ffmpeg on files in memory and returns the output file and the log. Throws its last log lines if it fails.
 */
export async function ffmpeg(
  inputs: Readonly<Record<string, Uint8Array>>,
  args: readonly string[],
  output: string,
): Promise<{ bytes: Uint8Array<ArrayBuffer>; log: string }> {
  const { files, log } = await ffmpegFiles(inputs, [...args, output], [output]);
  const [bytes = new Uint8Array(0)] = files;
  return { bytes, log };
}
