import { Tensor } from "onnxruntime-node";
import type { ViewTensor } from "../images/view.ts";
import type { PackagedNetwork } from "../models/packaged-network.ts";
import { discard } from "../platform/discard.ts";
import { readingOf, type Reading } from "../writing/reading.ts";
import { openPackaged, type PackagedSession } from "./packaged-session.ts";

export interface LoadReadingTask {
  readonly manifestPath: string;
}

let loaded: PackagedSession | undefined;

/** Task `load`. It must run once, before any `read`. @throws Error as {@link openPackaged} does */
export async function load({ manifestPath }: LoadReadingTask): Promise<PackagedNetwork> {
  loaded = await openPackaged(manifestPath, "recognizer");
  return loaded.manifest;
}

/** Task `read`: whether one line can be read. */
export async function read({ data, width, height }: ViewTensor): Promise<Reading> {
  if (loaded === undefined) throw new Error("The recognizer is not loaded.");
  if (!(data instanceof Float32Array)) throw new Error("The recognizer reads floats.");
  const { session } = loaded;
  const [input = "", output = ""] = [session.inputNames[0], session.outputNames[0]];
  const answer = (await session.run({ [input]: new Tensor("float32", data, [1, 3, height, width]) }))[output];
  if (!(answer?.data instanceof Float32Array)) throw new Error("The recognizer gave no float32 answer.");
  discard(data);
  return readingOf(answer.data, answer.dims.at(-1) ?? 1);
}

/** Task `release`. */
export async function release(): Promise<void> {
  await loaded?.session.release();
  loaded = undefined;
}
