/**
 * Measures how many small heads and plates the detector finds in large frames of a video: `npm run eval:distant -- --data FOLDER`.
 * Pastes six photos into each frame of 1920 × 1080, and sends it to the detector as a frame of a video, scaled to each size.
 *
 *     --data FOLDER       photos with manifest.jsonl; the seed selects some of part eval
 *     --side N            longer side in pixels of what the detector gets; repeatable (640, 1280)
 *     --category NAME     repeatable (heads, license_plates)
 *     --frames N          how many frames for each category (40)
 *     --models FOLDER     models of another version
 *     --seed TEXT         another seed for the selection
 */
import { join } from "node:path";
import { parseArgs } from "node:util";
import sharp from "sharp";
import { CERTAIN, DETECTION_FLOOR, isConfirmed } from "../../src/work/video/tracks/confidence.ts";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { Detection } from "../src/detections/detection.ts";
import { judge } from "./judge.ts";
import type { Label, Photo } from "./labels.ts";
import { EvaluatedService } from "./service.ts";
import { inSeedOrder, readSet } from "./sets.ts";
import { table } from "./table.ts";

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    side: { type: "string", multiple: true, default: ["640", "1280"] },
    category: { type: "string", multiple: true, default: ["heads", "license_plates"] },
    frames: { type: "string", default: "40" },
    models: { type: "string" },
    seed: { type: "string", default: "distant" },
  },
});
if (values.data === undefined) throw new Error("Name the labeled photos with --data.");

const FRAME = { width: 1920, height: 1080 };
/** Photos in a row and in a column of a frame. */
const [ACROSS, DOWN] = [3, 2];
/** Photos with a longer side in this range are pasted at about their own size. */
const [LEAST_SIDE_PX, MOST_SIDE_PX] = [400, 700];
/** Upper limits of the groups of targets, by their shorter side in pixels of the frame. */
const GROUPS_PX = [12, 16, 24, 32, 48, 64, Infinity];

const { photos } = await readSet({
  name: "distant",
  folder: values.data,
  manifest: join(values.data, "manifest.jsonl"),
  part: "eval",
  sources: [],
  isEverydayOnly: false,
  limit: undefined,
});
const service = await EvaluatedService.start({ modelsFolder: values.models });
try {
  for (const category of CATEGORIES.filter((name) => values.category.includes(name))) {
    const frames = framesWith(category);
    const rows: string[][] = [];
    for (const side of values.side) rows.push([side, ...(await countsOf(frames, category, Number(side)))]);
    const header = ["Side", ...GROUPS_PX.map((px) => `< ${px}`), "False", "In photos without, found"];
    process.stdout.write(`${category}, ${frames.length} frames\n\n${table(header, rows)}\n\n`);
  }
} finally {
  await service.stop();
}

/** Frames of photos that show a category, and as many of photos that do not. */
function framesWith(category: Category): (readonly Photo[])[] {
  const drawn = inSeedOrder(photos, values.seed).filter(({ width, height }) => {
    const side = Math.max(width, height);
    return side >= LEAST_SIDE_PX && side <= MOST_SIDE_PX;
  });
  const shown = drawn.filter(({ labels }) =>
    labels.some((label) => label.category === category && !label.isIgnored),
  );
  const without = drawn.filter(({ absent }) => absent.has(category));
  return [...chunksOf(shown), ...chunksOf(without)];
}

function chunksOf(some: readonly Photo[]): Photo[][] {
  const size = ACROSS * DOWN;
  const count = Math.min(Number(values.frames), Math.floor(some.length / size));
  return Array.from({ length: count }, (_, index) => some.slice(index * size, (index + 1) * size));
}

/** For each group, how many targets are covered and how many there are; then the false detections. */
async function countsOf(
  frames: readonly (readonly Photo[])[],
  category: Category,
  side: number,
): Promise<string[]> {
  const groups = GROUPS_PX.map(() => ({ targets: 0, covered: 0 }));
  let [wrong, present] = [0, 0];
  for (const some of frames) {
    const { jpeg, photo } = await frameOf(some, side);
    const [detections = []] = await service.findInFrames([jpeg], [category], DETECTION_FLOOR);
    const found = detections.filter(isHidden);
    const outcome = judge(photo, category, found);
    wrong += outcome?.falseFrom.length ?? 0;
    if (photo.absent.has(category)) present += found.length;
    for (const { shortSidePixels, coveredFrom } of outcome?.targets ?? []) {
      const group = groups[GROUPS_PX.findIndex((px) => shortSidePixels < px)];
      if (group === undefined) continue;
      group.targets += 1;
      if (coveredFrom > 0) group.covered += 1;
    }
  }
  return [...groups.map(({ covered, targets }) => `${covered} / ${targets}`), String(wrong), String(present)];
}

/** Whether a single sighting is enough to hide a track. */
function isHidden({ confidence, secondLook }: Detection): boolean {
  const limits = { sensitivity: "normal", minConfidence: undefined } as const;
  return confidence >= CERTAIN && (secondLook === undefined || isConfirmed(secondLook, limits));
}

/** Pastes photos into a frame, and scales it to what the detector gets. Labels are in pixels of the frame. */
async function frameOf(some: readonly Photo[], side: number): Promise<{ jpeg: Buffer; photo: Photo }> {
  const cell = { width: FRAME.width / ACROSS, height: FRAME.height / DOWN };
  const pasted = await Promise.all(
    some.map(async (photo, index) => {
      const scale = Math.min(1, cell.width / photo.width, cell.height / photo.height);
      const [width, height] = [Math.floor(photo.width * scale), Math.floor(photo.height * scale)];
      const [left, top] = [(index % ACROSS) * cell.width, Math.floor(index / ACROSS) * cell.height];
      const input = await sharp(photo.path).resize(width, height).png().toBuffer();
      return { input, left, top, labels: photo.labels.map((label) => placed(label, { scale, left, top })) };
    }),
  );
  const frame = await sharp({ create: { ...FRAME, channels: 3, background: "#5a5a5a" } })
    .composite(pasted.map(({ input, left, top }) => ({ input, left, top })))
    .png()
    .toBuffer();
  const jpeg = await sharp(frame).resize(side).jpeg({ quality: 92 }).toBuffer();
  const [first] = some;
  if (first === undefined) throw new Error("A frame has no photo.");
  const isEach = (set: "completeFor" | "absent") =>
    new Set(CATEGORIES.filter((name) => some.every((one) => one[set].has(name))));
  const labels = pasted.flatMap((one) => one.labels);
  return {
    jpeg,
    photo: {
      ...first,
      ...FRAME,
      labels,
      unplaced: [],
      completeFor: isEach("completeFor"),
      absent: isEach("absent"),
    },
  };
}

function placed(label: Label, { scale, left, top }: { scale: number; left: number; top: number }): Label {
  const { bounds, quad } = label;
  return {
    ...label,
    bounds: {
      left: bounds.left * scale + left,
      top: bounds.top * scale + top,
      right: bounds.right * scale + left,
      bottom: bounds.bottom * scale + top,
    },
    quad: quad?.map(([x, y]) => [x * scale + left, y * scale + top] as const),
  };
}
