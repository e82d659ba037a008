import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { dirname, join } from "node:path";
import { pipeline as pipe } from "node:stream/promises";
import { z } from "zod";
import type { Category } from "../detections/categories.ts";
import { clipToUnit } from "../geometry/box.ts";
import type { Picture } from "../images/decode.ts";
import type { Detection } from "../detections/detection.ts";
import { readVocabularyManifest, type VocabularyManifest } from "../models/vocabulary-manifest.ts";

export interface LoadVocabularyTask {
  readonly manifestPath: string;
  readonly device: "cpu" | "cuda";
}

export interface AskVocabularyTask {
  readonly picture: Picture;
  readonly category: Category;
  readonly prompts: readonly string[];
  readonly threshold: number;
}

const PACKAGE = "@huggingface/transformers";

const found = z.array(
  z.object({
    score: z.number(),
    box: z.object({ xmin: z.number(), ymin: z.number(), xmax: z.number(), ymax: z.number() }),
  }),
);

interface Loaded {
  readonly ask: (task: AskVocabularyTask) => Promise<Detection[]>;
  readonly release: () => Promise<void>;
}

let loaded: Loaded | undefined;

/**
 * Task `load`. It must run once, before any `ask`.
 * @throws Error if the optional package is not installed, or if the network's SHA-256 differs from the manifest's.
 */
export async function load({ manifestPath, device }: LoadVocabularyTask): Promise<VocabularyManifest> {
  const manifest = await readVocabularyManifest(manifestPath);
  await assertNetwork(manifest, dirname(manifestPath));
  const { env, pipeline, RawImage } = await importPackage();
  env.allowRemoteModels = false;
  env.localModelPath = dirname(manifestPath);
  const detect = await pipeline("zero-shot-object-detection", manifest.id, {
    device,
    dtype: manifest.dtype,
    local_files_only: true,
  });
  loaded = {
    ask: async ({ picture, category, prompts, threshold }) => {
      const { pixels, width, height } = picture;
      const image = new RawImage(new Uint8ClampedArray(new Uint8Array(pixels)), width, height, 3);
      const answer = await detect(image, [...prompts], { threshold, percentage: true });
      return found.parse(answer).flatMap(({ score, box }): Detection[] => {
        const { xmin: left, ymin: top, xmax: right, ymax: bottom } = box;
        const clipped = clipToUnit({ left, top, right, bottom });
        if (clipped.right <= clipped.left || clipped.bottom <= clipped.top) return [];
        return [{ category, confidence: Math.min(1, score), box: clipped }];
      });
    },
    release: async () => {
      await detect.dispose();
    },
  };
  return manifest;
}

/** Task `ask`: finds one category in one picture. */
export async function ask(task: AskVocabularyTask): Promise<Detection[]> {
  if (loaded === undefined) throw new Error("The open-vocabulary model is not loaded.");
  return loaded.ask(task);
}

/** Task `release`. */
export async function release(): Promise<void> {
  await loaded?.release();
  loaded = undefined;
}

async function importPackage(): Promise<typeof import("@huggingface/transformers")> {
  try {
    return await import("@huggingface/transformers");
  } catch (error) {
    throw new Error(
      `OPEN_VOCABULARY needs the package ${PACKAGE}, which is not installed: \`npm install --no-save ${PACKAGE}@4.3.1\`.`,
      { cause: error },
    );
  }
}

async function assertNetwork({ id, network, sha256 }: VocabularyManifest, folder: string): Promise<void> {
  const hash = createHash("sha256");
  await pipe(createReadStream(join(folder, id, network)), hash).catch((error: unknown) => {
    throw new Error(`The model ${id} has no ${network}; \`npm run models -- pull ${id}\` fetches it.`, {
      cause: error,
    });
  });
  const actual = hash.digest("hex");
  if (actual !== sha256)
    throw new Error(`${network} of ${id} has SHA-256 ${actual}; its manifest says ${sha256}.`);
}
