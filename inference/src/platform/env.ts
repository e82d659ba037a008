import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { z } from "zod";

const MOST_SHOWN_CHARACTERS = 40;
const MEBIBYTE = 1024 * 1024;

function count(fallback: number, min = 1, max = 1_000_000): z.ZodType<number, string | undefined> {
  const error = `expected a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d+$/, error)
    .optional()
    .transform((text) => (text === undefined ? fallback : Number(text)))
    .pipe(z.number().int(error).min(min, error).max(max, error));
}

function bytes(fallback: number): z.ZodType<number, string | undefined> {
  return count(fallback, 1, 2 ** 40);
}

const modelNames = z
  .string()
  .optional()
  .transform((text) =>
    text === undefined
      ? undefined
      : text
          .split(",")
          .map((name) => name.trim())
          .filter((name) => name !== ""),
  )
  .pipe(z.array(z.string().regex(/^[a-z0-9][a-z0-9._-]*$/)).optional());

const settings = z.object({
  /** Address to listen on. */
  HOST: z.string().min(1).default("127.0.0.1"),
  /** Port to listen on. 0 picks a free one. */
  PORT: count(8080, 0, 65_535),
  /** The token that callers send as `Authorization: Bearer …`. */
  INFERENCE_TOKEN: z.string().min(16, "must be at least 16 characters long"),
  LOG_LEVEL: z.enum(["trace", "debug", "info", "warn", "error", "silent"]).default("info"),
  /** Where networks run. If the provider is missing, the service does not start. */
  PROVIDER: z.enum(["cpu", "cuda", "tensorrt"]).default("cpu"),
  /**
   * Precision of the networks. `auto` takes 8-bit integers on a CPU if the model has such a network, and 32-bit floats
   * otherwise. `full` always takes 32-bit floats. `half` needs TensorRT, which converts the networks itself.
   */
  PRECISION: z.enum(["auto", "full", "half"]).default("auto"),
  /** Where TensorRT keeps the engines it builds. If unset, it builds them again at each start. */
  TENSORRT_CACHE_DIR: z.string().min(1).optional(),
  /**
   * Names of manifests in MODELS_DIR, separated by commas. `default` stands for those of `default.json`. If unset, the names
   * come from `chosen.json`, or else from `default.json`.
   */
  MODELS: modelNames,
  MODELS_DIR: z
    .string()
    .min(1)
    .default(fileURLToPath(new URL("../../models/", import.meta.url))),
  /** Folder of the manifests of published detectors and of what `npm run models -- pull` downloaded for them. */
  PUBLISHED_DIR: z
    .string()
    .min(1)
    .default(fileURLToPath(new URL("../../published/", import.meta.url))),
  /**
   * The video engine. `native` uses the installed ffmpeg, `wasm` the bundled core. `auto` uses the installed
   * ffmpeg if it has every decoder and encoder that runs need. `none` turns the video engine off.
   */
  FFMPEG: z.enum(["auto", "native", "wasm", "none"]).default("auto"),
  /** Most runs of the installed ffmpeg at once. Up to a thousand more wait. */
  MAX_RUNS: count(availableParallelism(), 1, 256),
  /** Threads of one network run. */
  MODEL_THREADS: count(availableParallelism(), 1, 256),
  /** Sessions of each network, each in its own thread. 0 chooses 1 on a CPU and 2 on a GPU. */
  MODEL_SESSIONS: count(0, 0, 16),
  /** Worker threads that decode frames, cut views and read codes. */
  WORKER_THREADS: count(availableParallelism(), 1, 256),
  /** Most views in one network run. */
  BATCH_SIZE: count(8, 1, 256),
  /** How long the first view of a batch waits for other views. */
  BATCH_DELAY_MS: count(2, 0, 1000),
  /** Most requests between their headers and their answer. Further requests get 503. */
  MAX_REQUESTS: count(64, 1, 10_000),
  /** Most bytes of bodies in memory at once. A request that exceeds it gets 503. */
  MAX_BUFFERED_BYTES: bytes(512 * MEBIBYTE),
  /** Most frames that are decoded, analyzed or waiting for the network at once. */
  MAX_FRAMES_IN_WORK: count(availableParallelism() * 2, 1, 1024),
  MAX_REQUEST_BYTES: bytes(128 * MEBIBYTE),
  MAX_FRAMES: count(64, 1, 1024),
  MAX_FRAME_BYTES: bytes(100 * MEBIBYTE),
  /** Most pixels of a frame whose format is decoded row by row (baseline JPEG, PNG). */
  MAX_FRAME_PIXELS: count(100_000_000, 1, 268_402_689),
  /**
   * Most pixels of a frame that decodes only as a whole (WebP, progressive JPEG). Larger interlaced PNGs are decoded one at a
   * time.
   */
  MAX_BUFFERED_FRAME_PIXELS: count(16_000_000, 1, 268_402_689),
  /** Most pixels of all tiles of one frame together. Larger frames are scaled down to this size. */
  MAX_TILED_PIXELS: count(16_000_000, 100_000, 268_402_689),
  /** Time that a caller has to send its whole request. */
  BODY_TIMEOUT_SECONDS: count(120, 1, 3600),
  /** Time that running requests have to finish after SIGTERM. */
  STOP_TIMEOUT_SECONDS: count(20, 0, 3600),
});

const schema = settings.superRefine(({ PRECISION, PROVIDER }, context) => {
  if (PRECISION !== "half" || PROVIDER === "tensorrt") return;
  const message = `half needs PROVIDER=tensorrt; PROVIDER is ${PROVIDER}`;
  context.addIssue({ code: "custom", path: ["PRECISION"], message });
});

export type Env = z.output<typeof schema>;

/** Settings are missing or invalid. The message is complete, so no stack is needed. */
export class SettingsError extends Error {
  override readonly name = "SettingsError";
}

/**
 * Reads the service's settings.
 * @throws SettingsError that names every missing or invalid variable, the value found (except the token's), and what is accepted
 */
export function readEnv(source: Record<string, string | undefined>): Env {
  const result = schema.safeParse(source);
  if (result.success) return result.data;
  const faults = result.error.issues.map(({ path: [name = ""], message }) => {
    const value = source[String(name)];
    const isShown = value !== undefined && name !== "INFERENCE_TOKEN";
    const found = isShown ? ` is ${JSON.stringify(value.slice(0, MOST_SHOWN_CHARACTERS))}` : "";
    return `${String(name)}${found}: ${message}`;
  });
  throw new SettingsError(`The environment is not valid. ${faults.join("; ")}`);
}
