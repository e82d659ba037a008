import { Tensor } from "onnxruntime-node";
import type { PackagedNetwork } from "../models/packaged-network.ts";
import { leveled } from "../speech/level.ts";
import { SAMPLES_PER_SECOND } from "../speech/samples.ts";
import { openPackaged, type PackagedSession } from "./packaged-session.ts";
import { speechRanges, type SpeechRule, type TimeRange } from "../speech/speech-ranges.ts";

export interface LoadSpeechTask {
  readonly manifestPath: string;
}

/** The network's window, the samples before it that it sees too, and the size of the state that it hands to the next window. */
const WINDOW_SAMPLES = 512;
const CONTEXT_SAMPLES = 64;
const STATE_SHAPE = [2, 1, 128];

/** Measured by `npm run bench -- speech`. */
const RULE: SpeechRule = {
  from: 0.15,
  pauseSeconds: 0.3,
  average: 0.5,
  averageSeconds: 0.5,
  marginSeconds: 0.2,
};

let loaded: PackagedSession | undefined;

/** Task `load`. It must run once, before any `listen`. @throws Error as {@link openPackaged} does */
export async function load({ manifestPath }: LoadSpeechTask): Promise<PackagedNetwork> {
  // The network is so small that a second thread or a GPU would cost more than they save.
  loaded = await openPackaged(manifestPath, "speech model");
  return loaded.manifest;
}

/** Task `listen`: the ranges of 16-bit samples in which somebody speaks, in seconds. */
export async function listen(samples: Int16Array): Promise<TimeRange[]> {
  if (loaded === undefined) throw new Error("The speech model is not loaded.");
  const { session } = loaded;
  const values = leveled(samples, { windowSamples: WINDOW_SAMPLES, samplesPerSecond: SAMPLES_PER_SECOND });
  const windows = Math.ceil(values.length / WINDOW_SAMPLES);
  const probabilities = new Float32Array(windows);
  const sr = new Tensor("int64", BigInt64Array.of(BigInt(SAMPLES_PER_SECOND)), []);
  let state: Tensor = new Tensor("float32", new Float32Array(2 * 128), STATE_SHAPE);
  for (let window = 0; window < windows; window++) {
    const input = new Float32Array(CONTEXT_SAMPLES + WINDOW_SAMPLES);
    const start = window * WINDOW_SAMPLES - CONTEXT_SAMPLES;
    const from = Math.max(0, start);
    input.set(values.subarray(from, start + input.length), from - start);
    const outputs = await session.run({ input: new Tensor("float32", input, [1, input.length]), state, sr });
    const { output, stateN } = outputs;
    if (!(output?.data instanceof Float32Array) || stateN === undefined)
      throw new Error("The speech model gave no float32 answer.");
    probabilities[window] = output.data[0] ?? 0;
    state = stateN;
  }
  return speechRanges(probabilities, WINDOW_SAMPLES / SAMPLES_PER_SECOND, RULE);
}

/** Task `release`. */
export async function release(): Promise<void> {
  await loaded?.session.release();
  loaded = undefined;
}
