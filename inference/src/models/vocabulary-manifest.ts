import { readFile } from "node:fs/promises";
import { z } from "zod";
import { category, share } from "./adapters/outputs.ts";

const path = z.string().regex(/^[\w.-]+(\/[\w.-]+)*$/, "must be a path inside the model's folder");

const schema = z
  .strictObject({
    kind: z.literal("open_vocabulary"),
    id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
    version: z.string().min(1),
    description: z.string().min(1),
    licence: z.string().min(1),
    card: z.string().min(1),
    /** Where the model is stored on the Hugging Face Hub. */
    source: z
      .strictObject({
        repository: z.string().regex(/^[\w.-]+\/[\w.-]+$/),
        revision: z.string().regex(/^[0-9a-f]{40}$/),
      })
      .optional(),
    /** The network's path in the model's folder, and its SHA-256. */
    network: path,
    sha256: z.string().regex(/^[0-9a-f]{64}$/),
    /** Selects the network that transformers.js loads. It must be the one above. */
    dtype: z.enum(["fp32", "fp16", "q8", "int8", "uint8", "q4", "q4f16", "bnb4"]),
    /** The other files in the model's folder: its configuration and its tokenizer. */
    files: z.array(path).min(1),
    /** The prompts for each category. The network runs once per category. */
    prompts: z.partialRecord(category, z.array(z.string().min(1)).min(1)),
    thresholds: z.partialRecord(category, share),
    confidence_floor: share,
    suppression: z.strictObject({ overlap: share, containment: share }),
  })
  .superRefine(({ prompts, thresholds }, context) => {
    for (const name of category.options) {
      if ((prompts[name] === undefined) === (thresholds[name] === undefined)) continue;
      const message = `${name} has a prompt without a threshold, or a threshold without a prompt`;
      context.addIssue({ code: "custom", path: ["thresholds"], message });
    }
  });

export type VocabularyManifest = z.output<typeof schema>;

/**
 * Reads the manifest of an open-vocabulary model.
 * @throws Error that names the file and every missing or invalid field.
 */
export async function readVocabularyManifest(file: string): Promise<VocabularyManifest> {
  let value: unknown;
  try {
    value = JSON.parse(await readFile(file, "utf8"));
  } catch (error) {
    throw new Error(`The manifest ${file} cannot be read as JSON.`, { cause: error });
  }
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
  throw new Error(`The manifest ${file} is not valid. ${faults.join("; ")}`);
}
