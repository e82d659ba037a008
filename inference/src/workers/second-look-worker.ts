import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { InferenceSession, Tensor } from "onnxruntime-node";
import { discard } from "../platform/discard.ts";
import { MAX_BATCH, type Judged } from "../second-look/judged.ts";
import { readSecondLookManifest, type SecondLookManifest } from "../second-look/manifest.ts";

export interface LoadSecondLookTask {
  readonly manifestPath: string;
  readonly provider: "cpu" | "cuda" | "tensorrt";
  readonly threads: number;
  /** Whether to load the network in 8-bit integers if there is one. */
  readonly integers: boolean;
}

export interface JudgeTask {
  /** Consecutive crops, [n, side, side, 3] in bytes. */
  readonly crops: Uint8Array;
  /** The boxes in 0…1 of their crops, [n, 4]: left, top, right, bottom. */
  readonly boxes: Float32Array;
}

interface Loaded {
  readonly session: InferenceSession;
  readonly manifest: SecondLookManifest;
}

let loaded: Loaded | undefined;

/**
 * Task `load`. It must run once, before any `judge`.
 * @throws Error if the manifest is invalid or the file's SHA-256 differs from the manifest's.
 */
export async function load({
  manifestPath,
  provider,
  threads,
  integers,
}: LoadSecondLookTask): Promise<SecondLookManifest> {
  const manifest = await readSecondLookManifest(manifestPath);
  const wanted = integers ? (manifest.integers ?? manifest) : manifest;
  const bytes = await readFile(join(dirname(manifestPath), wanted.file));
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== wanted.sha256) {
    throw new Error(
      `The model file ${wanted.file} has SHA-256 ${sha256}; its manifest says ${wanted.sha256}. It is damaged or another version.`,
    );
  }
  const session = await InferenceSession.create(bytes, {
    executionProviders: provider === "tensorrt" ? ["cuda"] : [provider],
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
    extra: { "session.intra_op.allow_spinning": "0" },
  });
  loaded = { session, manifest };
  return manifest;
}

/** An answer, and how long the network ran for it. */
export interface TimedJudged {
  readonly judged: Judged;
  readonly networkSeconds: number;
}

/** Task `judge`. */
export async function judge({ crops, boxes }: JudgeTask): Promise<TimedJudged> {
  if (loaded === undefined) throw new Error("The second look is not loaded.");
  const { session, manifest } = loaded;
  const { crop_pixels: side, classes, scene, quantiles } = manifest;
  const boxValues = 4 * (quantiles?.length ?? 1);
  const count = boxes.length / 4;
  const bytesOfOne = side * side * 3;
  const judged = {
    scores: new Float32Array(count * classes.length),
    boxes: new Float32Array(count * boxValues),
    quarters: manifest.turned && new Float32Array(count * 4),
    scenes: scene && new Float32Array(count * valuesOf(scene)),
  };
  const startedAtMs = performance.now();
  for (let start = 0; start < count; start += MAX_BATCH) {
    const end = Math.min(count, start + MAX_BATCH);
    const outputs = await session.run({
      crops: new Tensor("uint8", crops.subarray(start * bytesOfOne, end * bytesOfOne), [
        end - start,
        side,
        side,
        3,
      ]),
      boxes: new Tensor("float32", boxes.subarray(start * 4, end * 4), [end - start, 4]),
    });
    judged.scores.set(floatsOf(outputs["scores"]), start * classes.length);
    judged.boxes.set(floatsOf(outputs["refined"]), start * boxValues);
    judged.quarters?.set(floatsOf(outputs["quarters"]), start * 4);
    if (scene !== undefined) judged.scenes?.set(floatsOf(outputs["scene"]), start * valuesOf(scene));
  }
  const networkSeconds = (performance.now() - startedAtMs) / 1000;
  discard(crops);
  return { judged, networkSeconds };
}

/** Task `release`. */
export async function release(): Promise<void> {
  await loaded?.session.release();
  loaded = undefined;
}

/** Number of values in one crop's map. */
function valuesOf({ classes, cells }: { classes: readonly string[]; cells: number }): number {
  return classes.length * cells * cells;
}

function floatsOf(tensor: Tensor | undefined): Float32Array {
  if (!(tensor?.data instanceof Float32Array)) throw new Error("The second look gave no float32 answer.");
  return tensor.data;
}
