// Makes a copy of a film that this browser can play. Loaded only when somebody asks for it.
import { FFFSType, FFmpeg } from "@ffmpeg/ffmpeg";
import { copyArguments } from "./film-copy-plan.ts";
import { gathered, unzipped } from "./gathered-files.ts";
import type { Box } from "./editor-geometry.ts";
import type { CopyFormat } from "./film-copy-plan.ts";

/** The addresses of the video engine's files. */
export interface EngineUrls {
  readonly worker: string;
  readonly core: string;
  readonly wasm: readonly string[];
  readonly wasmBytes: number;
}

/** What is being done, in the order in which it happens. */
export type CopyStage = "engine" | "original" | "converting";

interface CopyOrder {
  readonly engine: EngineUrls;
  readonly source: string;
  readonly fileBytes: number;
  readonly durationSeconds: number;
  readonly format: CopyFormat;
  readonly part: Box;
  readonly onProgress: (stage: CopyStage, share: number) => void;
  readonly signal: AbortSignal;
}

const FOLDER = "/original";
const ORIGINAL = "film";

/**
 * Makes a copy that the browser can play. Nothing leaves this device.
 *
 * @throws DownloadError if the engine or the original cannot be loaded; the signal's reason if it is aborted; Error if the engine cannot
 * convert the original
 */
export async function makeCopy(order: CopyOrder): Promise<Blob> {
  const { engine, source, fileBytes, onProgress, signal } = order;
  onProgress("engine", 0);
  // The worker loads these two from the cache. It would not say that one of them is missing.
  await gathered([engine.worker, engine.core], () => undefined, signal);
  const zipped = await gathered(
    engine.wasm,
    (bytes) => {
      onProgress("engine", bytes / engine.wasmBytes);
    },
    signal,
  );
  const wasm = await unzipped(zipped, "application/wasm");
  onProgress("original", 0);
  const original = await gathered(
    [source],
    (bytes) => {
      onProgress("original", bytes / Math.max(1, fileBytes));
    },
    signal,
  );
  const wasmURL = URL.createObjectURL(wasm);
  try {
    const copy = await converted(order, { wasmURL, original, hasSound: true });
    // The engine may not know the codec of the sound.
    return copy ?? (await converted(order, { wasmURL, original, hasSound: false })) ?? failed();
  } finally {
    URL.revokeObjectURL(wasmURL);
  }
}

function failed(): never {
  throw new Error("The engine cannot convert the original.");
}

/** Undefined if the engine fails. */
async function converted(
  { engine, durationSeconds, format, part, onProgress, signal }: CopyOrder,
  {
    wasmURL,
    original,
    hasSound,
  }: { readonly wasmURL: string; readonly original: Blob; readonly hasSound: boolean },
): Promise<Blob | undefined> {
  const ffmpeg = new FFmpeg();
  const stop = () => {
    ffmpeg.terminate();
  };
  signal.throwIfAborted();
  signal.addEventListener("abort", stop);
  ffmpeg.on("progress", ({ time }) => {
    onProgress("converting", time / 1_000_000 / Math.max(0.1, durationSeconds));
  });
  try {
    onProgress("converting", 0);
    await ffmpeg.load({ classWorkerURL: engine.worker, coreURL: engine.core, wasmURL });
    await ffmpeg.createDir(FOLDER);
    // The original is read where it is, and not copied into the engine's memory.
    await ffmpeg.mount(FFFSType.WORKERFS, { blobs: [{ name: ORIGINAL, data: original }] }, FOLDER);
    const code = await ffmpeg.exec(copyArguments(`${FOLDER}/${ORIGINAL}`, { format, part, hasSound }));
    if (code !== 0) return undefined;
    const file = (await ffmpeg.readFile(format.file)) as Uint8Array<ArrayBuffer>;
    return new Blob([file], { type: format.type });
  } catch {
    // Running out of memory ends it too.
    signal.throwIfAborted();
    return undefined;
  } finally {
    signal.removeEventListener("abort", stop);
    ffmpeg.terminate();
  }
}
