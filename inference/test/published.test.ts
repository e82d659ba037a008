import { createHash } from "node:crypto";
import { copyFile, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { type Box, area, intersection } from "../src/geometry/box.ts";
import { readManifest } from "../src/models/manifest.ts";
import { answerOf } from "./support/answer.ts";
import { startTestService, temporaryFolder } from "./support/service.ts";

const PUBLISHED = fileURLToPath(new URL("../published/", import.meta.url));
const SHARED = fileURLToPath(new URL("../../../shared/", import.meta.url));
/** Folders of networks under any names, and of photos; neither is part of the repository. */
const WEIGHTS = process.env["VEIL_TEST_WEIGHTS"] ?? join(SHARED, "weights");
const PHOTOS = process.env["VEIL_TEST_PHOTOS"] ?? join(SHARED, "photos");

async function listed(folder: string): Promise<string[]> {
  return readdir(folder).catch(() => []);
}

/** Networks of the folder by SHA-256. */
const networks = new Map(
  await Promise.all(
    (await listed(WEIGHTS))
      .filter((name) => name.endsWith(".onnx"))
      .map(async (name) => {
        const path = join(WEIGHTS, name);
        return [
          createHash("sha256")
            .update(await readFile(path))
            .digest("hex"),
          path,
        ] as const;
      }),
  ),
);
const hasPhotos = (await listed(PHOTOS)).length > 0;

if (networks.size === 0 || !hasPhotos) {
  process.stderr.write(
    "Published detectors are not run: there are no networks and photos; set VEIL_TEST_WEIGHTS and VEIL_TEST_PHOTOS.\n",
  );
}

/**
 * What other implementations of the decoders (OpenCV and numpy, `training/veil_training/teachers.py`) see on photos:
 * the whole photo's size, and one box in its pixels. The boxes of faces are grown to heads as the manifests say.
 */
const EXPECTED = [
  ["yunet", "heads", "facemask_kaggle/maksssksksss0.jpg", [512, 366], [306.6, 39.5, 376.5, 151.5]],
  ["ultraface", "heads", "facemask_kaggle/maksssksksss0.jpg", [512, 366], [306.6, 39.5, 376.5, 151.5]],
  [
    "lpd-yunet",
    "license_plates",
    "kaggle_car_plates_cc0/kaggle_car_plates_cc0_00001.jpg",
    [400, 225],
    [315.7, 103.5, 363.9, 116.1],
  ],
  [
    "picodet-s-416",
    "screens",
    "coworking_stock/coworking_stock_00003.webp",
    [448, 298],
    [140.1, 163.6, 180.3, 209.4],
  ],
  ["yolox-nano", "street_signs", "kaggle_road_signs/road124.webp", [332, 400], [231.2, 116.8, 331.2, 299]],
  ["ppocr-v3-ch", "writing", "sroie_fifth/000.jpg", [366, 800], [129.4, 759.5, 261.9, 772.2]],
] as const;

/** Resizing differs between the two, and with it the boxes a little; UltraFace and YOLOX are other networks than the expected one. */
const LEAST_OVERLAP: Record<string, number> = { ultraface: 0.5, "yolox-nano": 0.5 };

function overlap(a: Box, b: Box): number {
  const shared = intersection(a, b);
  return shared / (area(a) + area(b) - shared);
}

const names = (await listed(PUBLISHED)).filter((name) => name.endsWith(".json"));

describe("the manifests of published detectors", () => {
  it.each(names)("%s is valid, and carries the name of its file", async (name) => {
    const manifest = await readManifest(join(PUBLISHED, name));
    expect(name).toBe(`${manifest.id}.json`);
    expect(manifest.file).toBe(`${manifest.id}.onnx`);
    expect(manifest.confidence_floor).toBeLessThanOrEqual(0.05);
  });
});

describe("published detectors", () => {
  for (const [id, category, file, [width, height], [left, top, right, bottom]] of EXPECTED) {
    it(`${id} sees on ${file} what other implementations see`, async (test) => {
      const manifest = await readManifest(join(PUBLISHED, `${id}.json`));
      const network = networks.get(manifest.sha256);
      test.skip(
        network === undefined || !hasPhotos,
        "needs the network and photos: set VEIL_TEST_WEIGHTS and VEIL_TEST_PHOTOS",
      );
      const folder = await temporaryFolder();
      await copyFile(join(PUBLISHED, `${id}.json`), join(folder.path, `${id}.json`));
      await copyFile(network ?? "", join(folder.path, manifest.file));
      const service = await startTestService({ env: { PUBLISHED_DIR: folder.path, MODELS: id } });
      try {
        const photo = await readFile(join(PHOTOS, file));
        const answer = await answerOf(await service.detect({ categories: [category] }, [photo]));
        const [frame] = answer.frames;
        expect(frame).toMatchObject({ width, height });
        const overlaps = (frame?.detections ?? []).map(({ box: [x, y, w, h] }) =>
          overlap(
            { left: x * width, top: y * height, right: (x + w) * width, bottom: (y + h) * height },
            { left, top, right, bottom },
          ),
        );
        expect(Math.max(...overlaps)).toBeGreaterThan(LEAST_OVERLAP[id] ?? 0.8);
      } finally {
        await service.stop();
        await folder.remove();
      }
    });
  }
});
