/**
 * Writes a folder in the form of Grounding DINO for transformers.js, small and randomly initialised from a seed: patches and
 * words become vectors of random numbers, and a patch is as much a word as their product says. It finds nothing sensible; the
 * code that loads and asks the real one is the same.
 *
 * Usage: node scripts/make-tiny-vocabulary.ts FOLDER
 */
import { createHash } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { attributeInts, INT64, modelOf, node, tensor, value } from "./onnx.ts";
import { bytesField, intField, message, stringField } from "./protobuf.ts";

const PATCH = 32;
const WIDTH = 8;
const WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", "a", "badge", "person", "screen", "tattoo"];
const ID = "tiny-vocabulary";

/** Random numbers in −scale…scale, the same ones for a seed (mulberry32). */
function random(count: number, seed: number, scale: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return (((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1) * scale;
  });
}

function intAttribute(name: string, number: number): Uint8Array {
  return message(stringField(1, name), intField(3, number), intField(20, 2));
}

function network(): Uint8Array {
  const sizes = [attributeInts("kernel_shape", [PATCH, PATCH]), attributeInts("strides", [PATCH, PATCH])];
  const graph = message(
    bytesField(
      1,
      node("Conv", { inputs: ["pixel_values", "patchWeights"], output: "patchMap", attributes: sizes }),
    ),
    bytesField(
      1,
      node("Flatten", { inputs: ["patchMap"], output: "flat", attributes: [intAttribute("axis", 2)] }),
    ),
    bytesField(
      1,
      node("Transpose", { inputs: ["flat"], output: "columns", attributes: [attributeInts("perm", [1, 0])] }),
    ),
    bytesField(1, node("Unsqueeze", { inputs: ["columns", "first"], output: "patches" })),
    bytesField(1, node("Gather", { inputs: ["wordVectors", "input_ids"], output: "words" })),
    bytesField(
      1,
      node("Transpose", {
        inputs: ["words"],
        output: "wordColumns",
        attributes: [attributeInts("perm", [0, 2, 1])],
      }),
    ),
    bytesField(1, node("MatMul", { inputs: ["patches", "wordColumns"], output: "logits" })),
    bytesField(1, node("MatMul", { inputs: ["patches", "boxWeights"], output: "boxLogits" })),
    bytesField(1, node("Sigmoid", { inputs: ["boxLogits"], output: "pred_boxes" })),
    stringField(2, ID),
    bytesField(
      5,
      tensor("patchWeights", [WIDTH, 3, PATCH, PATCH], random(WIDTH * 3 * PATCH * PATCH, 1, 0.05)),
    ),
    bytesField(5, tensor("wordVectors", [WORDS.length, WIDTH], random(WORDS.length * WIDTH, 2, 2))),
    bytesField(5, tensor("boxWeights", [WIDTH, 4], random(WIDTH * 4, 3, 1))),
    bytesField(5, message(intField(1, 1), intField(2, INT64), intField(7, 0), stringField(8, "first"))),
    bytesField(11, value("input_ids", ["n", "tokens"], INT64)),
    bytesField(11, value("token_type_ids", ["n", "tokens"], INT64)),
    bytesField(11, value("attention_mask", ["n", "tokens"], INT64)),
    bytesField(11, value("pixel_values", ["n", 3, "h", "w"])),
    bytesField(11, value("pixel_mask", ["n", "h", "w"], INT64)),
    bytesField(12, value("logits", ["n", "queries", "tokens"])),
    bytesField(12, value("pred_boxes", ["n", "queries", 4])),
  );
  return modelOf(graph);
}

function special(id: number, content: string): object {
  return {
    id,
    content,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: true,
  };
}

const tokenizer = {
  version: "1.0",
  truncation: null,
  padding: null,
  added_tokens: WORDS.slice(0, 5).map((word, id) => special(id, word)),
  normalizer: {
    type: "BertNormalizer",
    clean_text: true,
    handle_chinese_chars: true,
    strip_accents: null,
    lowercase: true,
  },
  pre_tokenizer: { type: "BertPreTokenizer" },
  post_processor: {
    type: "TemplateProcessing",
    single: [
      { SpecialToken: { id: "[CLS]", type_id: 0 } },
      { Sequence: { id: "A", type_id: 0 } },
      { SpecialToken: { id: "[SEP]", type_id: 0 } },
    ],
    pair: [],
    special_tokens: {
      "[CLS]": { id: "[CLS]", ids: [2], tokens: ["[CLS]"] },
      "[SEP]": { id: "[SEP]", ids: [3], tokens: ["[SEP]"] },
    },
  },
  decoder: { type: "WordPiece", prefix: "##", cleanup: true },
  model: {
    type: "WordPiece",
    unk_token: "[UNK]",
    continuing_subword_prefix: "##",
    max_input_chars_per_word: 100,
    vocab: Object.fromEntries(WORDS.map((word, id) => [word, id])),
  },
};

const files = {
  "config.json": { model_type: "grounding-dino", architectures: ["GroundingDinoForObjectDetection"] },
  "tokenizer.json": tokenizer,
  "tokenizer_config.json": { tokenizer_class: "BertTokenizer", model_max_length: 64, pad_token: "[PAD]" },
  "preprocessor_config.json": {
    image_processor_type: "GroundingDinoImageProcessor",
    processor_class: "GroundingDinoProcessor",
    do_normalize: true,
    do_pad: false,
    do_rescale: true,
    do_resize: true,
    image_mean: [0.5, 0.5, 0.5],
    image_std: [0.5, 0.5, 0.5],
    resample: 2,
    size: { width: 128, height: 128 },
  },
};

/** Writes the model, and its manifest beside it, into a folder. */
export async function writeTinyVocabulary(folder: string): Promise<void> {
  const onnx = network();
  await mkdir(join(folder, ID, "onnx"), { recursive: true });
  await writeFile(join(folder, ID, "onnx/model.onnx"), onnx);
  for (const [name, content] of Object.entries(files)) {
    await writeFile(join(folder, ID, name), JSON.stringify(content));
  }
  const manifest = {
    kind: "open_vocabulary",
    id: ID,
    version: "1",
    description: "Random numbers in the form of Grounding DINO.",
    licence: "Apache-2.0",
    card: "README.md",
    network: "onnx/model.onnx",
    sha256: createHash("sha256").update(onnx).digest("hex"),
    dtype: "fp32",
    files: Object.keys(files),
    prompts: { tattoos: ["a tattoo."], screens: ["a screen."] },
    thresholds: { tattoos: 0.3, screens: 0.3 },
    confidence_floor: 0.05,
    suppression: { overlap: 0.5, containment: 0.85 },
  };
  await writeFile(join(folder, `${ID}.vocabulary.json`), JSON.stringify(manifest, null, 2));
}

if (import.meta.main) {
  const [folder] = process.argv.slice(2);
  if (folder === undefined) throw new Error("Usage: node scripts/make-tiny-vocabulary.ts FOLDER");
  await writeTinyVocabulary(folder);
}
