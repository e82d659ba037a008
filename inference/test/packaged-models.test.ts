import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { z } from "zod";
import { area, intersection } from "../src/geometry/box.ts";
import { writeTinyModel } from "../scripts/make-tiny-model.ts";
import { withoutMissingSpecialists } from "../src/models/missing-specialists.ts";
import { Network } from "../src/models/onnx-network.ts";
import { answerOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, temporaryFolder, TOKEN } from "./support/service.ts";

const models = fileURLToPath(new URL("../models/", import.meta.url));
const reader = join(models, "ppocr-v4.json");
const onCpu = { provider: "cpu", threads: 1, integers: true } as const;

let folder: Awaited<ReturnType<typeof temporaryFolder>>;

beforeEach(async () => {
  folder = await temporaryFolder();
  await writeTinyModel(folder.path);
});

afterEach(async () => folder.remove());

/** Writes the reader's manifest with changes beside the tiny model. */
async function writeReader(changes: Record<string, unknown>): Promise<string> {
  const manifest = z.looseObject({}).parse(JSON.parse(await readFile(reader, "utf8")));
  const path = join(folder.path, "ppocr-v4.json");
  await writeFile(path, JSON.stringify({ ...manifest, ...changes }));
  await writeFile(join(folder.path, "default.json"), '["tiny", "ppocr-v4"]\n');
  return path;
}

const nowhere = { package: { name: "@veil/no-such-package", folder: "assets" } };

async function servedBy(url: string): Promise<string[]> {
  const response = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${TOKEN}` } });
  const served = z.looseObject({ models: z.array(z.looseObject({ id: z.string() })) });
  return served.parse(await response.json()).models.map(({ id }) => id);
}

describe("a network in an npm package", () => {
  it("is the pinned one", async () => {
    const network = await Network.load(reader, onCpu);
    expect(network.manifest.id).toBe("ppocr-v4");
    await network.release();
  });

  it("that is another one than pinned is refused, and the service does not start", async () => {
    const sha256 = "0".repeat(64);
    const path = await writeReader({ sha256 });
    const refusal = new RegExp(`ch_PP-OCRv4_det_infer.onnx has SHA-256 30a86f.*manifest says ${sha256}`);
    await expect(Network.load(path, onCpu)).rejects.toThrow(refusal);
    await expect(startTestService({ env: { MODELS_DIR: folder.path } })).rejects.toThrow(refusal);
  });

  it("that is not installed says which package has it", async () => {
    const path = await writeReader(nowhere);
    await expect(Network.load(path, onCpu)).rejects.toThrow(
      "The model ppocr-v4 has no file ch_PP-OCRv4_det_infer.onnx in the package @veil/no-such-package.",
    );
  });
});

describe("a specialist that is not installed", () => {
  it("is left out and reported, and the others serve its category", async () => {
    const paths = [join(folder.path, "tiny.json"), await writeReader(nowhere)];
    const missing: string[] = [];
    expect(await withoutMissingSpecialists(paths, ({ id }) => missing.push(id))).toEqual(paths.slice(0, 1));
    expect(missing).toEqual(["ppocr-v4"]);
    const service = await startTestService({ env: { MODELS_DIR: folder.path } });
    expect(await servedBy(service.url)).toEqual(["tiny", "zxing-wasm"]);
    const bar = Array.from({ length: 10 }, (_, i) => ({ x: 8 + 4 * i, y: 16, side: 4 }));
    const frame = await encode(squaresOnBlack(128, 96, bar), { width: 128, height: 96 });
    const answer = await answerOf(await service.detect({ categories: ["writing"] }, [frame]));
    expect(answer.frames[0]?.detections).toHaveLength(1);
    await service.stop();
  });

  it("is not left out where nothing else serves its category", async () => {
    const path = await writeReader(nowhere);
    expect(await withoutMissingSpecialists([path], () => expect.unreachable())).toEqual([path]);
  });
});

/** Letters of five by seven cells. */
const LETTERS: Record<string, readonly string[]> = {
  V: ["x...x", "x...x", "x...x", "x...x", "x...x", ".x.x.", "..x.."],
  E: ["xxxxx", "x....", "x....", "xxxx.", "x....", "x....", "xxxxx"],
  I: ["xxx", ".x.", ".x.", ".x.", ".x.", ".x.", "xxx"],
  L: ["x....", "x....", "x....", "x....", "x....", "x....", "xxxxx"],
};

function cellsOf(
  word: string,
  side: number,
  from: { x: number; y: number },
): Parameters<typeof squaresOnBlack>[2] {
  let column = 0;
  return word.split("").flatMap((letter) => {
    const rows = LETTERS[letter] ?? [];
    const start = column;
    column += (rows[0]?.length ?? 0) + 1;
    return rows.flatMap((row, y) =>
      row
        .split("")
        .flatMap((cell, x) =>
          cell === "x" ? [{ x: from.x + (start + x) * side, y: from.y + y * side, side }] : [],
        ),
    );
  });
}

describe("writing", () => {
  it("is found in photos by the reader, and in frames of videos without it", async () => {
    const service = await startTestService({ env: { MODELS_DIR: models } });
    const size = { width: 960, height: 540 };
    const frame = await encode(
      squaresOnBlack(size.width, size.height, cellsOf("VEIL", 6, { x: 300, y: 240 })),
      size,
    );
    const ask = async (single_look: boolean): Promise<Awaited<ReturnType<typeof answerOf>>> =>
      answerOf(await service.detect({ categories: ["writing"], single_look }, [frame]));
    const photo = await ask(false);
    expect(photo.models.map(({ id }) => id)).toEqual(["veil-detector", "ppocr-v4", "ppocr-v4-reader"]);
    const [line, ...others] = photo.frames[0]?.detections ?? [];
    expect(others).toEqual([]);
    const [x = 0, y = 0, width = 0, height = 0] = line?.box ?? [];
    const found = {
      left: x * size.width,
      top: y * size.height,
      right: (x + width) * size.width,
      bottom: (y + height) * size.height,
    };
    const word = { left: 300, top: 240, right: 432, bottom: 282 };
    expect(intersection(found, word) / area(word)).toBeGreaterThan(0.9);
    expect(area(found) / area(word)).toBeLessThan(1.6);
    expect((await ask(true)).models.map(({ id }) => id)).toEqual(["veil-detector"]);
    await service.stop();
  });

  it("that fills a photo is found because it can be read", async () => {
    const service = await startTestService({ env: { MODELS_DIR: models } });
    const size = { width: 960, height: 540 };
    const side = 24;
    const from = { x: (size.width - 22 * side) / 2, y: (size.height - 7 * side) / 2 };
    const frame = await encode(squaresOnBlack(size.width, size.height, cellsOf("VEIL", side, from)), size);
    const answer = await answerOf(await service.detect({ categories: ["writing"] }, [frame]));
    const word = {
      left: from.x / size.width,
      top: from.y / size.height,
      right: 1 - from.x / size.width,
      bottom: 1 - from.y / size.height,
    };
    const [line, ...others] = answer.frames[0]?.detections ?? [];
    expect(others).toEqual([]);
    const [x = 0, y = 0, width = 0, height = 0] = line?.box ?? [];
    const found = { left: x, top: y, right: x + width, bottom: y + height };
    expect(intersection(found, word) / area(word)).toBeGreaterThan(0.9);
    expect(line?.confidence).toBeGreaterThan(0.75);
    await service.stop();
  });
});
