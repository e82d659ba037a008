import type { Category } from "../src/detections/categories.ts";
import { leakScripts } from "../../test/video/compose/scripts.ts";
import { qrSymbol } from "../../test/video-node/support/qr-codes.ts";
import { analyseClip, judgeClip } from "../../test/video-node/support/redact-clip.ts";
import type { DetectorSpec } from "./looks.ts";
import { filmPhoto, PANS } from "./moving-photos.ts";
import { paintedFigures, type PaintedFigures } from "./painted-figures.ts";
import type { PaintedOutcome } from "./painted.ts";
import { EvaluatedService } from "./service.ts";
import type { LabelledSet } from "./sets.ts";

/** Photos filmed of each set, spread evenly. */
const PHOTOS_FILMED = 30;
const TEXTS = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];

/** What tracks and patches hide of the instances on photos that a camera goes across. */
interface FilmedFigures {
  readonly pan: string;
  readonly set: string;
  readonly category: Category;
  readonly painted: PaintedFigures;
}

/** What they hide of the codes in the clips of the leak test. */
interface ClipFigures {
  readonly frames: number;
  readonly readableFrames: number;
  /** Share of frames in which less than 95 % of the codes is hidden. */
  readonly bareShare: number;
  readonly paintedToLabelled: number;
}

export interface VideoReport {
  readonly filmed: readonly FilmedFigures[];
  readonly clips: ClipFigures;
}

/** Measures what is painted in videos. */
export async function evaluateVideos(
  spec: DetectorSpec,
  sets: readonly LabelledSet[],
  onProgress: (text: string) => void,
): Promise<VideoReport> {
  const service = await EvaluatedService.start(spec.models);
  try {
    const filmed: FilmedFigures[] = [];
    for (const pan of PANS) {
      for (const { name, photos } of sets) {
        const complete = photos.filter(({ labels, completeFor }) =>
          labels.some(({ category, isIgnored }) => !isIgnored && completeFor.has(category)),
        );
        const step = Math.max(1, complete.length / PHOTOS_FILMED);
        const outcomes = new Map<Category, PaintedOutcome[]>();
        for (let at = 0; at < complete.length; at += step) {
          const photo = complete[Math.floor(at)];
          if (photo === undefined) break;
          for (const { category, outcome } of await filmPhoto(photo, pan, service)) {
            outcomes.set(category, [...(outcomes.get(category) ?? []), outcome]);
          }
        }
        onProgress(`${spec.name}: ${name} filmed, ${pan.name}`);
        for (const [category, some] of outcomes) {
          const options = { isEllipse: category === "heads", leastOfSource: Infinity };
          const painted = paintedFigures(some, options);
          if (painted !== undefined) filmed.push({ pan: pan.name, set: name, category, painted });
        }
      }
    }
    return { filmed, clips: await evaluateClips() };
  } finally {
    await service.stop();
  }
}

async function evaluateClips(): Promise<ClipFigures> {
  let [frames, readableFrames, bareFrames, maskedPixels, truthPixels] = [0, 0, 0, 0, 0];
  for (const script of leakScripts(await Promise.all(TEXTS.map(qrSymbol)))) {
    const verdict = await judgeClip(await analyseClip(script), "pixelation");
    frames += verdict.frames;
    readableFrames += verdict.readableFrames.length;
    bareFrames += verdict.bareFrames.length;
    maskedPixels += verdict.maskedPixels;
    truthPixels += verdict.truthPixels;
  }
  return {
    frames,
    readableFrames,
    bareShare: bareFrames / frames,
    paintedToLabelled: maskedPixels / truthPixels,
  };
}
