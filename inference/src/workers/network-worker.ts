import type { Manifest } from "../models/manifest.ts";
import { Network, type NetworkOptions } from "../models/onnx-network.ts";
import { readAnswer, type Look } from "../models/read-answer.ts";
import type { Detection } from "../detections/detection.ts";
import { discard } from "../platform/discard.ts";

export interface LoadTask extends NetworkOptions {
  readonly manifestPath: string;
}

let network: Network | undefined;

/** Task `load`. It must run once, before any `look`. */
export async function load({ manifestPath, ...options }: LoadTask): Promise<Manifest> {
  network = await Network.load(manifestPath, options);
  return network.manifest;
}

/** Task `look`. All views must have one size. */
export async function look(looks: readonly Look[]): Promise<Detection[][]> {
  if (network === undefined) throw new Error("The network is not loaded.");
  const { manifest } = network;
  const answers = await network.run(looks.map(({ tensor }) => tensor));
  const found = looks.map((one, i) => readAnswer(answers[i] ?? new Map(), manifest, one));
  for (const { tensor } of looks) discard(tensor.data);
  for (const answer of answers) for (const values of answer.values()) discard(values);
  return found;
}

/** Task `release`. */
export async function release(): Promise<void> {
  await network?.release();
  network = undefined;
}
