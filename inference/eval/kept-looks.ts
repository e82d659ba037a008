import { appendFile, readFile } from "node:fs/promises";
import { z } from "zod";
import { CATEGORIES } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import { parseLines } from "./labels.ts";
import { servedModels, type ServedModels } from "./service.ts";

/** A detector's answers so far, by the photo's path. */
export interface Answers {
  readonly all: ReadonlyMap<string, readonly Detection[]>;
  readonly usual: ReadonlyMap<
    string,
    { readonly found: readonly Detection[]; readonly milliseconds: number }
  >;
}

/** A line of the file: the served models, or one answer. */
export type KeptLine =
  | { readonly served: ServedModels }
  | { readonly path: string; readonly all: readonly Detection[] }
  | { readonly path: string; readonly usual: readonly Detection[]; readonly milliseconds: number };

const detection = z
  .object({
    category: z.enum(CATEGORIES),
    confidence: z.number(),
    box: z.object({ left: z.number(), top: z.number(), right: z.number(), bottom: z.number() }),
    polygon: z.array(z.tuple([z.number(), z.number()])).optional(),
  })
  .transform(({ polygon, ...others }): Detection => (polygon ? { ...others, polygon } : others));

const detector = z.string();
const path = z.string();
const schema = z.union([
  z.object({ detector, served: servedModels }),
  z.object({ detector, path, all: z.array(detection) }),
  z.object({ detector, path, usual: z.array(detection), milliseconds: z.number() }),
]);

/** Appends a line of one detector. Without a file, nothing is kept. */
export async function keepLine(file: string | undefined, name: string, line: KeptLine): Promise<void> {
  if (file !== undefined) await appendFile(file, `${JSON.stringify({ detector: name, ...line })}\n`);
}

/** The kept answers of one detector. Empty if there is no file yet. */
export async function readKept(
  file: string | undefined,
  name: string,
): Promise<Answers & { served: ServedModels | undefined }> {
  const all = new Map<string, readonly Detection[]>();
  const usual = new Map<string, { found: readonly Detection[]; milliseconds: number }>();
  let served: ServedModels | undefined;
  const text = file === undefined ? "" : await readFile(file, "utf8").catch(() => "");
  for (const line of parseLines(text, file ?? "", schema)) {
    if (line.detector !== name) continue;
    if ("served" in line) served = line.served;
    else if ("all" in line) all.set(line.path, line.all);
    else usual.set(line.path, { found: line.usual, milliseconds: line.milliseconds });
  }
  return { served, all, usual };
}
