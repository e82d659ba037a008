import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { averagePrecision, bestThreshold, figuresAt } from "../eval/figures.ts";
import { judge, type PhotoOutcome } from "../eval/judge.ts";
import type { Label, Photo } from "../eval/labels.ts";
import { readSet } from "../eval/sets.ts";
import { writeTinyModel } from "../scripts/make-tiny-model.ts";
import type { Category } from "../src/detections/categories.ts";
import type { Box } from "../src/geometry/box.ts";
import type { Detection } from "../src/detections/detection.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { temporaryFolder } from "./support/service.ts";

const SIZE = 1000;
function box(left: number, top: number, width: number, height: number): Box {
  return {
    left,
    top,
    right: left + width,
    bottom: top + height,
  };
}

function label(category: Category, bounds: Box, isIgnored = false): Label {
  return {
    category,
    bounds,
    quad: undefined,
    isIgnored,
  };
}

function photo(labels: readonly Label[], changes: Partial<Photo> = {}): Photo {
  return {
    path: "",
    width: SIZE,
    height: SIZE,
    source: "made",
    labels,
    unplaced: [],
    completeFor: new Set(["heads", "documents", "id_cards", "passports", "license_plates"]),
    absent: new Set(),
    hasFacesOnly: false,
    ...changes,
  };
}

function found(category: Category, confidence: number, { left, top, right, bottom }: Box): Detection {
  return {
    category,
    confidence,
    box: { left: left / SIZE, top: top / SIZE, right: right / SIZE, bottom: bottom / SIZE },
  };
}

function judged(photo_: Photo, category: Category, detections: readonly Detection[]): PhotoOutcome {
  const outcome = judge(photo_, category, detections);
  if (outcome === undefined) throw new Error("The photo says nothing about the category.");
  return outcome;
}

/** From which confidence a target of 200 pixels is covered by a detection of some width. */
function covering(width: number): number {
  return (
    judged(photo([label("license_plates", box(100, 100, 200, 100))]), "license_plates", [
      found("license_plates", 0.8, box(200 - width / 2, 100, width, 100)),
    ]).targets[0]?.coveredFrom ?? -1
  );
}

describe("a target", () => {
  it("is covered by the union of detections, from the confidence of the last one it needs", () => {
    const { targets } = judged(photo([label("license_plates", box(100, 100, 200, 100))]), "license_plates", [
      found("license_plates", 0.8, box(100, 100, 100, 100)),
      found("license_plates", 0.4, box(200, 100, 100, 100)),
    ]);
    expect(targets).toEqual([
      { source: "made", shortSidePixels: 100, coveredFrom: 0.4, redactedFrom: 0.4, matchedFrom: 0.8 },
    ]);
  });

  it("is covered at nine tenths of its area, the detection's sides grown by a tenth", () => {
    expect(covering(166)).toBe(0.8);
    expect(covering(160)).toBe(0);
  });

  it("that is a head is redacted by an ellipse in its box, wider the less sure the detection is", () => {
    const [faint, sure] = [0.5, 0.95].map((confidence) =>
      judged(photo([label("heads", box(100, 100, 100, 100))]), "heads", [
        found("heads", confidence, box(104, 104, 92, 92)),
      ]),
    );
    expect(faint?.targets[0]).toMatchObject({ coveredFrom: 0.5, redactedFrom: 0.5 });
    expect(sure?.targets[0]).toMatchObject({ coveredFrom: 0.95, redactedFrom: 0 });
  });

  it("that is a card is found by any kind of card, and one place counts once", () => {
    const outcome = judged(photo([label("id_cards", box(100, 100, 200, 100))]), "id_cards", [
      found("passports", 0.9, box(100, 100, 200, 100)),
      found("credit_cards", 0.5, box(102, 100, 200, 100)),
      found("credit_cards", 0.6, box(600, 600, 200, 100)),
      found("passports", 0.3, box(600, 600, 200, 100)),
    ]);
    expect(outcome.targets[0]).toMatchObject({ coveredFrom: 0.9, matchedFrom: 0.9 });
    expect(outcome.falseFrom).toEqual([0.6]);
  });
});

describe("a false detection", () => {
  it("lies on nothing of the category, on a photo whose instances are all labelled", () => {
    const detections = [
      found("heads", 0.9, box(100, 100, 100, 100)),
      found("heads", 0.6, box(500, 500, 100, 100)),
      found("heads", 0.5, box(700, 700, 100, 100)),
    ];
    const labels = [label("heads", box(100, 100, 100, 100)), label("heads", box(690, 690, 120, 120), true)];
    expect(judged(photo(labels), "heads", detections).falseFrom).toEqual([0.6]);
    expect(judged(photo(labels, { completeFor: new Set() }), "heads", detections).falseFrom).toEqual([]);
  });

  it("is not a document on a passport, nor a head around a labelled face", () => {
    const passport = photo([label("passports", box(100, 100, 200, 200))]);
    expect(
      judged(passport, "documents", [found("documents", 0.9, box(100, 100, 200, 200))]).falseFrom,
    ).toEqual([]);
    const face = photo([label("heads", box(480, 480, 40, 40))], { hasFacesOnly: true });
    expect(judged(face, "heads", [found("heads", 0.9, box(472, 463, 56, 61))]).falseFrom).toEqual([]);
  });
});

describe("figures", () => {
  const outcomes = [
    judged(photo([label("heads", box(100, 100, 100, 100))]), "heads", [
      found("heads", 0.9, box(100, 100, 100, 100)),
      found("heads", 0.8, box(500, 500, 100, 100)),
    ]),
    judged(photo([label("heads", box(100, 100, 10, 10))]), "heads", [
      found("heads", 0.7, box(100, 100, 10, 10)),
      found("heads", 0.2, box(300, 300, 100, 100)),
    ]),
  ];

  it("are read at a threshold, and by size", () => {
    expect(figuresAt(outcomes, 0.75)).toMatchObject({
      targets: 2,
      coverage: 0.5,
      falsePerPhoto: 0.5,
      bySize: { "0 to 12": { targets: 1, coverage: 0 }, "96 and more": { targets: 1, coverage: 1 } },
    });
    expect(figuresAt(outcomes, 0.1)).toMatchObject({ coverage: 1, falsePerPhoto: 1 });
    expect(figuresAt(outcomes, 0.1).maskedToTarget).toBeCloseTo((3 * 1.21e4 + 121) / 1.01e4, 0);
  });

  it("leave out of the masked area what lies on ignored instances and on other kinds of card", () => {
    const labels = [
      label("credit_cards", box(100, 100, 100, 100)),
      label("credit_cards", box(400, 400, 200, 200), true),
      label("passports", box(700, 700, 200, 200)),
    ];
    const cards = judged(photo(labels, { completeFor: new Set(["credit_cards"]) }), "credit_cards", [
      found("credit_cards", 0.9, box(100, 100, 100, 100)),
      found("credit_cards", 0.8, box(400, 400, 200, 200)),
      found("id_cards", 0.8, box(700, 700, 200, 200)),
    ]);
    expect(figuresAt([cards], 0.5).maskedToTarget).toBeCloseTo(1.21, 1);
  });

  it("find the lowest threshold with half a false detection a photo", () => {
    expect(bestThreshold(outcomes)).toBe(0.21);
  });

  it("average precision over the curve", () => {
    expect(averagePrecision(outcomes)).toBeCloseTo(0.5 + 0.5 * (2 / 3));
  });

  it("count photos that hold one at an unknown place", () => {
    const unplaced = photo([], { unplaced: ["heads"], completeFor: new Set() });
    const some = [
      judged(unplaced, "heads", [found("heads", 0.5, box(1, 1, 9, 9))]),
      judged(unplaced, "heads", []),
    ];
    expect(figuresAt(some, 0.3).foundOnUnplaced).toEqual({ photos: 2, share: 0.5 });
  });
});

describe("a labelled folder", () => {
  it("with a wrong line says which and what", async () => {
    const folder = await temporaryFolder();
    const manifest = join(folder.path, "manifest.jsonl");
    await writeFile(manifest, '{"file":"a.png","w":1,"h":1}\n{"file":"b.png","w":0,"h":1}\n');
    const set = {
      name: "x",
      folder: folder.path,
      manifest,
      part: undefined,
      limit: undefined,
      sources: [],
      isEverydayOnly: false,
    };
    await expect(readSet(set)).rejects.toThrow(/manifest.jsonl:2 is not valid. w: /);
    await folder.remove();
  });

  it("is measured through the service's own interface", async () => {
    const folder = await temporaryFolder();
    await writeTinyModel(join(folder.path, "models"));
    const size = { width: 128, height: 96 };
    const pixels = squaresOnBlack(size.width, size.height, [
      { x: 16, y: 32, side: 8 },
      { x: 64, y: 64, side: 8 },
    ]);
    await writeFile(join(folder.path, "a.png"), await encode(pixels, size));
    const row = {
      file: "a.png",
      w: 128,
      h: 96,
      source: "squares",
      part: "eval",
      boxes: [
        { cat: "heads", box: [16, 32, 24, 40] },
        { cat: "heads", box: [96, 8, 104, 16] },
      ],
      complete_for: ["heads"],
    };
    await writeFile(join(folder.path, "manifest.jsonl"), `${JSON.stringify(row)}\n`);
    const out = join(folder.path, "eval.json");
    const script = fileURLToPath(new URL("../eval/main.ts", import.meta.url));
    const summary = join(folder.path, "summary.json");
    const child = spawn(
      process.execPath,
      [script, "--data", folder.path, "--out", out, "--summary", summary],
      {
        env: {
          PATH: process.env["PATH"] ?? "",
          MODELS_DIR: join(folder.path, "models"),
          WORKER_THREADS: "1",
        },
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    expect(await once(child, "exit")).toEqual([0, null]);
    expect(await readFile(summary, "utf8")).toContain(
      '"heads": { "targets": 2, "covered": 0.5, "painted": 0.5, "paintedToFound": ',
    );
    const figures = z.object({ targets: z.number(), coverage: z.number(), falsePerPhoto: z.number() });
    const report = z
      .object({
        detectors: z.tuple([
          z.object({
            models: z.array(z.object({ id: z.string(), sha256: z.string().length(64) })),
            sets: z.tuple([
              z.object({
                categories: z.object({ heads: z.object({ usual: figures, best: figures }) }),
                painted: z.object({ heads: z.object({ targets: z.number(), painted: z.number() }) }),
              }),
            ]),
          }),
        ]),
      })
      .parse(JSON.parse(await readFile(out, "utf8")));
    const [
      {
        models,
        sets: [{ categories, painted }],
      },
    ] = report.detectors;
    expect(models.map(({ id }) => id)).toContain("tiny");
    // One of two targets is found; the square that no label names is the false one.
    expect(categories.heads.usual).toEqual({ targets: 2, coverage: 0.5, falsePerPhoto: 1 });
    expect(painted.heads).toEqual({ targets: 2, painted: 0.5 });
    await folder.remove();
  });
});
