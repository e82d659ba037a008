import { Tensor } from "onnxruntime-node";
import type { PackagedNetwork } from "../models/packaged-network.ts";
import type { Picture } from "../images/decode.ts";
import { cutLine, type Line } from "../writing/cut-line.ts";
import { readingOf, type Reading } from "../writing/reading.ts";
import { openPackaged, type PackagedSession } from "./packaged-session.ts";

export interface LoadReadingTask {
  readonly manifestPath: string;
}

export interface ReadTask {
  readonly picture: Picture;
  readonly line: Line;
}

let loaded: PackagedSession | undefined;

/** Task `load`. It must run once, before any `read`. @throws Error as {@link openPackaged} does */
export async function load({ manifestPath }: LoadReadingTask): Promise<PackagedNetwork> {
  loaded = await openPackaged(manifestPath, "recognizer");
  return loaded.manifest;
}

/** Task `read`: whether one line of a picture can be read. */
export async function read({ picture, line }: ReadTask): Promise<Reading> {
  if (loaded === undefined) throw new Error("The recognizer is not loaded.");
  const { session } = loaded;
  const { data, width, height } = cutLine(picture, line);
  const [input = "", output = ""] = [session.inputNames[0], session.outputNames[0]];
  const answer = (await session.run({ [input]: new Tensor("float32", data, [1, 3, height, width]) }))[output];
  if (!(answer?.data instanceof Float32Array)) throw new Error("The recognizer gave no float32 answer.");
  return readingOf(answer.data, answer.dims.at(-1) ?? 1);
}

/** Task `release`. */
export async function release(): Promise<void> {
  await loaded?.session.release();
  loaded = undefined;
}
