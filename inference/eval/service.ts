import { spawn, type ChildProcessByStdio } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { fileURLToPath } from "node:url";
import { z } from "zod";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import { boundsOf } from "../src/geometry/box.ts";
import type { Detection } from "../src/detections/detection.ts";

const CHECKOUT = fileURLToPath(new URL("../..", import.meta.url));
/** The service's entry, from the root of a checkout. */
const MAIN = "inference/src/main.ts";
const START_TIMEOUT_MS = 120_000;
const ANSWER_TIMEOUT_MS = 120_000;
/** The `min_confidence` of a request for all detections. A manifest's `confidence_floor` may be higher. */
const LEAST_CONFIDENCE = 0.01;

const line = z.object({
  event: z.string().optional(),
  port: z.int().optional(),
  message: z.string().optional(),
});

export const servedModels = z.object({
  categories: z.array(z.enum(CATEGORIES)),
  models: z.array(
    z.object({
      id: z.string(),
      version: z.string(),
      sha256: z.string(),
      categories: z.array(z.enum(CATEGORIES)),
    }),
  ),
});

const answer = z.object({
  frames: z
    .array(
      z.object({
        detections: z.array(
          z.object({
            category: z.enum(CATEGORIES),
            confidence: z.number(),
            box: z.tuple([z.number(), z.number(), z.number(), z.number()]),
            polygon: z.array(z.tuple([z.number(), z.number()])).optional(),
            second_look: z.number().optional(),
          }),
        ),
      }),
    )
    .min(1),
});

export type ServedModels = z.output<typeof servedModels>;

/** The settings that the service is started with. */
export interface ServedDetector {
  /** Value of MODELS. Undefined for the service's default. */
  readonly models?: string | undefined;
  /** Value of MODELS_DIR. Undefined for the bundled models. */
  readonly modelsFolder?: string | undefined;
  /** Root of the checkout whose code runs, with its dependencies installed. Undefined for this one. */
  readonly checkout?: string | undefined;
}

/** The inference service in its own process, called over HTTP. */
export class EvaluatedService {
  readonly served: ServedModels;
  readonly #url: string;
  readonly #token: string;
  readonly #process: ChildProcessByStdio<null, Readable, null>;

  private constructor(options: {
    served: ServedModels;
    url: string;
    token: string;
    process: ChildProcessByStdio<null, Readable, null>;
  }) {
    this.served = options.served;
    this.#url = options.url;
    this.#token = options.token;
    this.#process = options.process;
  }

  /**
   * Starts the service on a free port.
   * @param detector Values of MODELS and MODELS_DIR. Without them, the service starts with its defaults.
   * @throws Error with the last logged message if the service does not start.
   */
  static async start({
    models,
    modelsFolder,
    checkout = CHECKOUT,
  }: ServedDetector): Promise<EvaluatedService> {
    const token = randomBytes(24).toString("base64url");
    const child = spawn(process.execPath, [join(checkout, MAIN)], {
      cwd: checkout,
      env: {
        ...process.env,
        HOST: "127.0.0.1",
        PORT: "0",
        LOG_LEVEL: "info",
        INFERENCE_TOKEN: token,
        ...(models === undefined ? {} : { MODELS: models }),
        ...(modelsFolder === undefined ? {} : { MODELS_DIR: modelsFolder }),
      },
      stdio: ["ignore", "pipe", "inherit"],
    });
    try {
      const url = `http://127.0.0.1:${await portOf(child)}`;
      const response = await fetch(`${url}/v1/models`, {
        headers: { authorization: `Bearer ${token}` },
        signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
      });
      return new EvaluatedService({
        served: servedModels.parse(await response.json()),
        url,
        token,
        process: child,
      });
    } catch (error) {
      child.kill("SIGKILL");
      throw error;
    }
  }

  /** All detections on a photo, at any confidence. Coordinates are in 0…1 of the stored pixels. */
  async findAll(path: string, categories: readonly Category[]): Promise<Detection[]> {
    const [found = []] = await this.#ask([await readFile(path)], {
      categories,
      min_confidence: LEAST_CONFIDENCE,
    });
    return found;
  }

  /** Detections of a request that sets no confidence, and how long the answer took. */
  async findUsual(
    path: string,
    categories: readonly Category[],
  ): Promise<{ found: Detection[]; milliseconds: number }> {
    const bytes = await readFile(path);
    const start = performance.now();
    const [found = []] = await this.#ask([bytes], { categories });
    return { found, milliseconds: performance.now() - start };
  }

  /** Detections in consecutive frames of a video from a given confidence, with a single look as for videos. */
  async findInFrames(
    frames: readonly Buffer[],
    categories: readonly Category[],
    minConfidence: number,
  ): Promise<Detection[][]> {
    return this.#ask(frames, { categories, min_confidence: minConfidence, single_look: true });
  }

  /** Ends the process. */
  async stop(): Promise<void> {
    if (this.#process.exitCode !== null) return;
    this.#process.kill("SIGTERM");
    await once(this.#process, "exit");
  }

  async #ask(frames: readonly Buffer[], request: object): Promise<Detection[][]> {
    const form = new FormData();
    form.append("request", new Blob([JSON.stringify(request)], { type: "application/json" }));
    for (const bytes of frames) form.append("frames", new Blob([Uint8Array.from(bytes)]));
    const response = await fetch(`${this.#url}/v1/detections`, {
      method: "POST",
      headers: { authorization: `Bearer ${this.#token}` },
      body: form,
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`The service answered ${response.status}: ${text}`);
    return answer.parse(JSON.parse(text)).frames.map(({ detections }) => detections.map(detectionOf));
  }
}

type FoundObject = z.output<typeof answer>["frames"][number]["detections"][number];

function detectionOf(found: FoundObject): Detection {
  const { category, confidence, polygon, second_look: secondLook } = found;
  const [x, y, width, height] = found.box;
  const box = { left: x, top: y, right: x + width, bottom: y + height };
  return {
    category,
    confidence,
    ...(polygon === undefined ? { box } : { box: boundsOf(polygon), polygon }),
    ...(secondLook !== undefined && { secondLook }),
  };
}

async function portOf(child: ChildProcessByStdio<null, Readable, null>): Promise<number> {
  return new Promise((resolve, reject) => {
    let last = "no line";
    const timer = setTimeout(() => reject(new Error("The service did not start in time.")), START_TIMEOUT_MS);
    createInterface({ input: child.stdout }).on("line", (text) => {
      const { event, port, message } = line.parse(JSON.parse(text));
      if (event === "start_failed") last = message ?? last;
      if (event !== "listening" || port === undefined) return;
      clearTimeout(timer);
      resolve(port);
    });
    child.once("exit", () => {
      clearTimeout(timer);
      reject(new Error(`The service did not start: ${last}`));
    });
  });
}
