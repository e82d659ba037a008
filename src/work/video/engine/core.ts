import createCore from "@ffmpeg/core";
import { CORE_BUILD } from "./core-build.ts";
import { EngineError } from "./engine.ts";

/** File descriptors from here on are the engine's own files. The core's file system uses lower ones. */
export const FIRST_DESCRIPTOR = 1000;

/** The reads and writes that the core makes on its files. Both resolve to a number of bytes. */
export interface CoreFiles {
  read(descriptor: number, target: () => Uint8Array): Promise<number>;
  write(descriptor: number, source: () => Uint8Array): Promise<number>;
}

/** A running core. */
export interface Core {
  /** Runs one command to its end and returns its exit code. */
  run(args: readonly string[], files: CoreFiles, onLine: (line: string) => void): Promise<number>;
  readonly memoryBytes: number;
  /** Whether the core asked for memory and was refused. */
  readonly isOutOfMemory: boolean;
}

/** The parts of the Emscripten module that are used. */
interface EmscriptenModule {
  ret: number;
  stringsToPtr(strings: readonly string[]): number;
  setLogger(logger: (line: { message: string }) => void): void;
  reset(): void;
}

type Import = (...args: number[]) => number;

/** JavaScript Promise Integration (https://github.com/WebAssembly/js-promise-integration). */
interface PromiseIntegration {
  readonly Suspending?: new (call: (...args: number[]) => Promise<number> | number) => Import;
  readonly promising?: (call: unknown) => (...args: number[]) => Promise<number>;
}

const EBADF = 8;
/** Tells the core that a file operation failed. The files hold the reason. */
const EIO = 29;

/**
 * Starts `@ffmpeg/core`. Reads and writes of the engine's files suspend the core until they complete, so that the isolate can
 * serve other requests in the meantime.
 *
 * @param mostBytes the largest size of its memory
 * @throws EngineError `unsupported_runtime` where WebAssembly cannot be suspended
 */
export async function startCore(wasm: WebAssembly.Module, mostBytes: number): Promise<Core> {
  const { Suspending, promising } = WebAssembly as PromiseIntegration;
  if (Suspending === undefined || promising === undefined) {
    throw new EngineError({
      code: "unsupported_runtime",
      message:
        "The video engine needs JavaScript Promise Integration (WebAssembly.Suspending), which this runtime lacks.",
    });
  }
  let current: CoreFiles | undefined;
  let exported: WebAssembly.Exports | undefined;
  let memory: WebAssembly.Memory | undefined;
  const memoryView = (at: number, lengthBytes: number): Uint8Array => {
    if (memory === undefined) throw new Error("The core has no memory.");
    return new Uint8Array(memory.buffer, at, lengthBytes);
  };
  const suspend = (original: Import, kind: keyof CoreFiles): Import =>
    new Suspending((descriptor = 0, vectors = 0, count = 0, countAt = 0) => {
      if (descriptor < FIRST_DESCRIPTOR) return original(descriptor, vectors, count, countAt);
      if (current === undefined) return EBADF;
      return transfer({ files: current, kind, descriptor, vectors, count, countAt, memoryView }).catch(
        () => EIO,
      );
    });

  let isOutOfMemory = false;
  const growMemory = (original: Import, neededBytes: number): number => {
    if (neededBytes > mostBytes) {
      isOutOfMemory = true;
      return 0;
    }
    // Emscripten grows memory by a fifth of the size that its views show. Growing by nothing detaches the views, so that they
    // show no size and the memory grows only as far as needed.
    memory?.grow(0);
    return original(neededBytes);
  };

  defineLocation();
  const core = (await createCore({
    mainScriptUrlOrBlob: `#${btoa(JSON.stringify({ wasmURL: "ffmpeg-core.wasm" }))}`,
    instantiateWasm(
      imports: Record<string, Record<string, Import>>,
      done: (instance: WebAssembly.Instance) => void,
    ) {
      const wrapped = wrapImports(imports, {
        _fd_read: (original) => suspend(original, "read"),
        _fd_write: (original) => suspend(original, "write"),
        _emscripten_resize_heap:
          (original) =>
          (neededBytes = 0) =>
            growMemory(original, neededBytes >>> 0),
        _emscripten_get_now: () => monotonicClock(),
        _emscripten_date_now: () => monotonicClock(),
      });
      const instance = new WebAssembly.Instance(wasm, wrapped);
      exported = instance.exports;
      memory = Object.values(exported).find((value) => value instanceof WebAssembly.Memory);
      done(instance);
      return exported;
    },
  })) as EmscriptenModule;
  const ffmpeg = promising(ffmpegOf(exported));
  return {
    async run(args, files, onLine) {
      current = files;
      core.reset();
      core.setLogger(({ message }) => {
        onLine(message);
      });
      // The core keeps the values of global options between runs.
      const all = ["ffmpeg", "-nostdin", "-hide_banner", "-noxerror", ...args];
      try {
        await ffmpeg(all.length, core.stringsToPtr(all));
      } catch (error) {
        // The core exits through abort(), whether or not it succeeded.
        if (!(error instanceof Error && error.message.startsWith("Aborted"))) throw error;
      } finally {
        current = undefined;
      }
      return core.ret;
    },
    get isOutOfMemory() {
      return isOutOfMemory;
    },
    get memoryBytes() {
      return memory?.buffer.byteLength ?? 0;
    },
  };
}

/** Replaces imports by the names of their functions, because the import names are minified. */
function wrapImports(
  imports: Record<string, Record<string, Import>>,
  replacements: Readonly<Record<string, (original: Import) => Import>>,
): WebAssembly.Imports {
  const missing = new Set(Object.keys(replacements));
  const wrapped = Object.fromEntries(
    Object.entries(imports).map(([module, functions]) => [
      module,
      Object.fromEntries(
        Object.entries(functions).map(([key, original]) => {
          missing.delete(original.name);
          return [key, replacements[original.name]?.(original) ?? original];
        }),
      ),
    ]),
  );
  if (missing.size > 0) {
    throw new EngineError({
      code: "unsupported_runtime",
      message: `The video engine's core does not import ${[...missing].join(", ")}; is it another version?`,
    });
  }
  return wrapped;
}

/** The core's command. Other builds have it under another name. */
function ffmpegOf(exported: WebAssembly.Exports | undefined): unknown {
  const ffmpeg = exported?.[CORE_BUILD.exports.ffmpeg];
  if (typeof ffmpeg === "function") return ffmpeg;
  throw new EngineError({
    code: "unsupported_runtime",
    message: "The video engine's core does not export ffmpeg as expected; is it another version?",
  });
}

/** Reads or writes one list of buffers (struct iovec: a pointer and a length, 32 bits each). */
async function transfer(call: {
  files: CoreFiles;
  kind: keyof CoreFiles;
  descriptor: number;
  vectors: number;
  count: number;
  countAt: number;
  memoryView: (at: number, lengthBytes: number) => Uint8Array;
}): Promise<number> {
  const { files, kind, descriptor, vectors, count, countAt, memoryView } = call;
  const word = (at: number): number => new DataView(memoryView(at, 4).buffer, at, 4).getUint32(0, true);
  let movedBytes = 0;
  for (let index = 0; index < count; index++) {
    const at = word(vectors + index * 8);
    const lengthBytes = word(vectors + index * 8 + 4);
    if (lengthBytes === 0) continue;
    // The memory may move while the core is suspended.
    const moved = await files[kind](descriptor, () => memoryView(at, lengthBytes));
    movedBytes += moved;
    if (moved < lengthBytes) break;
  }
  new DataView(memoryView(countAt, 4).buffer, countAt, 4).setUint32(0, movedBytes, true);
  return 0;
}

/**
 * The runtime's clock stands still during synchronous work, so code that waits for it would wait forever. This clock advances
 * with every call.
 */
function monotonicClock(): () => number {
  let ms = 0;
  return () => (ms += 0.05);
}

/** The core reads its own address. */
function defineLocation(): void {
  if ("location" in globalThis) return;
  Object.defineProperty(globalThis, "location", { value: { href: "https://video.invalid/" } });
}
