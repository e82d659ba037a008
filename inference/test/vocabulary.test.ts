import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { writeTinyVocabulary } from "../scripts/make-tiny-vocabulary.ts";
import { readVocabularyManifest } from "../src/models/vocabulary-manifest.ts";
import { VocabularyRunner } from "../src/finders/vocabulary-runner.ts";
import { answerOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, temporaryFolder, type TestService } from "./support/service.ts";

const PUBLISHED = fileURLToPath(new URL("../published/", import.meta.url));
const NAME = "tiny-vocabulary";

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeAll(async () => {
  folder = await temporaryFolder();
  await writeTinyVocabulary(folder.path);
});

afterAll(async () => folder.remove());

describe("an open-vocabulary model", () => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService({ env: { OPEN_VOCABULARY: NAME, PUBLISHED_DIR: folder.path } });
  });

  afterAll(async () => service.stop());

  it("serves the categories it has prompts for, beside the other models", async () => {
    const size = { width: 320, height: 200 };
    const frame = await encode(squaresOnBlack(320, 200, [{ x: 40, y: 40, side: 80 }]), size);
    const request = { categories: ["tattoos", "heads"], min_confidence: 0.05 };
    const answer = await answerOf(await service.detect(request, [frame]));
    expect(answer.models.map(({ id }) => id).toSorted()).toEqual(["tiny", NAME]);
    const tattoos = (answer.frames[0]?.detections ?? []).filter(({ category }) => category === "tattoos");
    expect(tattoos.length).toBeGreaterThan(0);
  });

  it("is asked for each category by its own prompt, and keeps to the confidence asked for", async () => {
    const size = { width: 320, height: 200 };
    const frame = await encode(squaresOnBlack(320, 200, [{ x: 40, y: 40, side: 80 }]), size);
    const confidences = async (category: string, confidence: number): Promise<number[]> => {
      const request = { categories: [category], min_confidence: confidence };
      const { frames } = await answerOf(await service.detect(request, [frame]));
      return (frames[0]?.detections ?? []).map((one) => one.confidence);
    };
    const tattoos = await confidences("tattoos", 0.05);
    expect(await confidences("screens", 0.05)).not.toEqual(tattoos);
    const [strongest = 0] = tattoos.toSorted((a, b) => b - a);
    expect(await confidences("tattoos", Math.min(1, strongest + 0.001))).toEqual([]);
  });

  it("does not claim what it has no prompt for", async () => {
    const response = await service.detect({ categories: ["passports"] }, [
      await encode(squaresOnBlack(8, 8, []), { width: 8, height: 8 }),
    ]);
    expect(response.status).toBe(422);
  });
});

describe("an open-vocabulary model does not start", () => {
  it("when its network is another one, or absent", async () => {
    const other = await temporaryFolder();
    await writeTinyVocabulary(other.path);
    const network = join(other.path, NAME, "onnx/model.onnx");
    const start = async (): Promise<unknown> =>
      VocabularyRunner.start({ manifestPath: join(other.path, `${NAME}.vocabulary.json`), device: "cpu" });
    await writeFile(network, Buffer.concat([await readFile(network), Buffer.from([0])]));
    await expect(start()).rejects.toThrow(/has SHA-256/);
    await writeFile(join(other.path, `${NAME}.vocabulary.json`), "{}");
    await expect(start()).rejects.toThrow(/is not valid/);
    await other.remove();
  });

  it("when the optional package is not installed, and says how to install it", async () => {
    // A resolver hook stands for a machine that has everything but the package.
    const hook = `
      import { registerHooks } from "node:module";
      registerHooks({ resolve(specifier, context, next) {
        if (specifier !== "@huggingface/transformers") return next(specifier, context);
        throw Object.assign(new Error("Cannot find package"), { code: "ERR_MODULE_NOT_FOUND" });
      } });`;
    const child = spawn(
      process.execPath,
      [
        "--import",
        `data:text/javascript,${encodeURIComponent(hook)}`,
        "--input-type=module",
        "--eval",
        `const { load } = await import(${JSON.stringify(new URL("../src/workers/vocabulary-worker.ts", import.meta.url).href)});
         await load({ manifestPath: ${JSON.stringify(join(folder.path, `${NAME}.vocabulary.json`))}, device: "cpu" })
           .catch((error) => console.log(error.message));`,
      ],
      { stdio: ["ignore", "pipe", "inherit"] },
    );
    let text = "";
    child.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    await once(child, "exit");
    expect(text).toContain("npm install --no-save @huggingface/transformers@");
  });
});

describe("the open-vocabulary pack", () => {
  it("has a prompt and a threshold for each category, at a pinned commit", async () => {
    const manifest = await readVocabularyManifest(join(PUBLISHED, "grounding-dino.vocabulary.json"));
    expect(Object.keys(manifest.prompts)).toHaveLength(13);
    expect(manifest.source?.revision).toMatch(/^[0-9a-f]{40}$/);
  });
});
