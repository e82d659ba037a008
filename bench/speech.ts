/**
 * Measures how much speech `POST /v1/speech` finds in mixtures of speech with a kitchen and music, and how much else it takes for
 * speech: `npm run bench -- speech`. `VEIL_SOUNDS` names the folder of the sounds, which are not committed.
 */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { ffmpeg } from "../test/node-support/ffmpeg.ts";
import { withInference } from "./lib/inference-service.ts";
import type { InferenceAccess } from "./lib/inference.ts";
import { atLeast, atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { rounded } from "./lib/statistics.ts";

const TOKEN = "token-of-the-benchmark";
const SPEECH = [
  "cmu_arctic_us_aew_a0001",
  "cmu_arctic_us_aew_a0002",
  "cmu_arctic_us_aew_a0003",
  "arctic_a0010",
];
const NOISES = ["doing_the_dishes.flac", "guitar_16k.wav", "vibe_ace.ogg"];
/** Decibels of speech over noise; null for noise alone. */
const LEVELS = [null, 20, 10, 5] as const;
const RATE = 16_000;
const SECONDS = 48;
const FRAME_SAMPLES = 160;
/** A pause up to this long within a sentence counts as speech. */
const MOST_PAUSE_FRAMES = 50;
const LEAST_FOUND = 98;
const MOST_TOUCHED = 5;

interface Mixture {
  readonly name: string;
  readonly samples: Int16Array;
  /** Whether each hundredth of a second is speech. */
  readonly truth: readonly boolean[];
}

await runBenchmark(import.meta.filename, async () => {
  const speech = await Promise.all(SPEECH.map(async (name) => await load(`${name}.wav`)));
  const judged = await withInference(TOKEN, async (access) => {
    const all: Judged[] = [];
    for (const noise of NOISES) {
      progress(`speech: ${noise}`);
      const sound = await load(noise);
      for (const shift of [0, 2.7])
        for (const level of LEVELS)
          all.push(await judge(access, mixture(noise, { sound, speech, level, shift })));
    }
    return all;
  });
  const sum = (of: (one: Judged) => number): number => judged.reduce((total, one) => total + of(one), 0);
  return {
    findings: [
      atLeast(LEAST_FOUND, {
        claim: "Of the time in which somebody speaks, so much is found",
        unit: "%",
        measured: rounded((100 * sum(({ found }) => found)) / sum(({ spoken }) => spoken)),
      }),
      atMost(MOST_TOUCHED, {
        claim: "Of the seconds without speech, so much is taken for speech",
        unit: "%",
        measured: rounded((100 * sum(({ touched }) => touched)) / sum(({ quiet }) => quiet)),
      }),
      reported({
        claim: "Seconds of sound that are heard in a second",
        unit: "seconds",
        measured: rounded((judged.length * SECONDS) / sum(({ seconds }) => seconds)),
      }),
    ],
    details: { mixtures: judged },
  };
});

/** A sound file as samples of -1…1. */
async function load(name: string): Promise<Float32Array> {
  const folder = process.env["VEIL_SOUNDS"];
  if (folder === undefined) throw new Error("VEIL_SOUNDS is not set. It names the folder of the sounds.");
  const bytes = new Uint8Array(await readFile(join(folder, name)));
  const args = ["-i", name, "-ac", "1", "-ar", String(RATE), "-f", "f32le"];
  const decoded = await ffmpeg({ [name]: bytes }, args, "samples");
  return new Float32Array(decoded.bytes.buffer, 0, decoded.bytes.length / 4);
}

function power(samples: Float32Array): number {
  return samples.reduce((sum, value) => sum + value * value, 0) / samples.length;
}

/** Whether each frame of a sentence is at most 40 dB below its loudest one. */
function voiced(samples: Float32Array): boolean[] {
  const frames = Math.floor(samples.length / FRAME_SAMPLES);
  const powers = Array.from({ length: frames }, (_, frame) =>
    power(samples.subarray(frame * FRAME_SAMPLES, (frame + 1) * FRAME_SAMPLES)),
  );
  const loudest = Math.max(...powers);
  return powers.map((one) => 10 * Math.log10(one / loudest + 1e-12) > -40);
}

function mixture(
  name: string,
  {
    sound,
    speech,
    level,
    shift,
  }: { sound: Float32Array; speech: readonly Float32Array[]; level: number | null; shift: number },
): Mixture {
  const offset = Math.round(shift * 3.1 * RATE);
  const mixed = Float32Array.from(
    { length: SECONDS * RATE },
    (_, at) => sound[(at + offset) % sound.length] ?? 0,
  );
  const noise = power(mixed);
  const truth: boolean[] = Array.from({ length: mixed.length / FRAME_SAMPLES }, () => false);
  // The last one is a single word.
  const parts = [...speech, (speech[0] ?? mixed).subarray(0.55 * RATE, 0.9 * RATE)];
  for (const [index, part] of level === null ? [] : parts.entries()) {
    const seconds = (index === speech.length ? 44 : 3 + index * 10) + shift / 2;
    const at = Math.round(seconds * RATE);
    const frames = voiced(part);
    const heard = part.filter((_, sample) => frames[Math.floor(sample / FRAME_SAMPLES)]);
    const gain = Math.sqrt((noise * 10 ** ((level ?? 0) / 10)) / power(heard));
    for (const [sample, value] of part.entries())
      mixed[at + sample] = (mixed[at + sample] ?? 0) + gain * value;
    for (const [frame, isVoiced] of frames.entries())
      if (isVoiced) truth[Math.floor(at / FRAME_SAMPLES) + frame] = true;
  }
  const peak = mixed.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  return {
    name: `${name}, ${level === null ? "alone" : `${level} dB`}`,
    samples: Int16Array.from(mixed, (value) => Math.round((value / peak) * 32_767)),
    truth: withoutPauses(truth),
  };
}

function withoutPauses(truth: readonly boolean[]): boolean[] {
  const closed = [...truth];
  let last: number | undefined;
  for (const [frame, isSpeech] of truth.entries()) {
    if (!isSpeech) continue;
    if (last !== undefined && frame - last <= MOST_PAUSE_FRAMES) closed.fill(true, last, frame);
    last = frame;
  }
  return closed;
}

/** Hundredths of a second that are spoken and found, and whole seconds without speech and the time of them that is touched. */
interface Judged {
  readonly name: string;
  readonly spoken: number;
  readonly found: number;
  readonly quiet: number;
  readonly touched: number;
  /** How long the service took. */
  readonly seconds: number;
}

async function judge({ inferenceUrl, inferenceToken }: InferenceAccess, one: Mixture): Promise<Judged> {
  const started = performance.now();
  const response = await fetch(`${inferenceUrl}/v1/speech`, {
    method: "POST",
    headers: { authorization: `Bearer ${inferenceToken}`, "content-type": "application/octet-stream" },
    body: new Uint8Array(one.samples.buffer as ArrayBuffer),
  });
  if (!response.ok) throw new Error(await response.text());
  const { speech } = (await response.json()) as { speech: { start_seconds: number; end_seconds: number }[] };
  const seconds = (performance.now() - started) / 1000;
  const isMuted = (frame: number): boolean =>
    speech.some(
      (range) => frame / 100 >= range.start_seconds && (frame + 1) / 100 <= range.end_seconds + 1e-6,
    );
  const frames = [...one.truth.keys()];
  const spoken = frames.filter((frame) => one.truth[frame]);
  const quiet = Array.from({ length: SECONDS }, (_, second) => second).filter(
    (second) => !one.truth.slice(second * 100, (second + 1) * 100).includes(true),
  );
  const touched = quiet.flatMap((second) => frames.slice(second * 100, (second + 1) * 100)).filter(isMuted);
  return {
    name: one.name,
    spoken: spoken.length,
    found: spoken.filter(isMuted).length,
    quiet: quiet.length,
    touched: touched.length / 100,
    seconds,
  };
}
