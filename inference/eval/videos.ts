import type { Category } from "../src/detections/categories.ts";
import { leakScripts } from "../../test/video/compose/scripts.ts";
import { qrSymbol } from "../../test/video-node/support/qr-codes.ts";
import { analyseClip, judgeClip } from "../../test/video-node/support/redact-clip.ts";
import type { DetectorSpec } from "./looks.ts";
import { filmPhoto, PANS, trackPhoto } from "./moving-photos.ts";
import { paintedFigures, type PaintedFigures } from "./painted-figures.ts";
import type { PaintedOutcome } from "./painted.ts";
import { EvaluatedService } from "./service.ts";
import { evenly, type LabelledSet } from "./sets.ts";
import { presenceInFilms, type TrackedFilm, type VideoPresence } from "./presence.ts";

/** Number of photos filmed per set, spread evenly. */
const PHOTOS_FILMED = 30;
/** Number of photos filmed for categories that they do not show, spread evenly. */
const EVERYDAY_FILMED = 75;
const TEXTS = ["HTTPS://EXAMPLE.ORG/7F3A", "HTTPS://EXAMPLE.ORG/90B1", "HTTPS://EXAMPLE.ORG/C24E"];

/** What tracks and patches hide of the instances in filmed photos. */
interface FilmedFigures {
  readonly pan: string;
  readonly set: string;
  readonly category: Category;
  readonly painted: PaintedFigures;
}

/** What tracks and patches hide of the codes in the clips of the leak test. */
interface ClipFigures {
  readonly frames: number;
  readonly readableFrames: number;
  /** Share of frames in which less than 95 % of the codes' area is hidden. */
  readonly bareShare: number;
  readonly paintedToLabelled: number;
}

export interface VideoReport {
  readonly filmed: readonly FilmedFigures[];
  readonly clips: ClipFigures;
  readonly presence: readonly VideoPresence[];
}

/** Measures what is painted in videos. */
export async function evaluateVideos(
  spec: DetectorSpec,
  sets: readonly LabelledSet[],
  onProgress: (text: string) => void,
): Promise<VideoReport> {
  const service = await EvaluatedService.start(spec);
  try {
    const filmed: FilmedFigures[] = [];
    for (const pan of PANS) {
      for (const { name, photos } of sets) {
        const complete = photos.filter(({ labels, completeFor }) =>
          labels.some(({ category, isIgnored }) => !isIgnored && completeFor.has(category)),
        );
        const outcomes = new Map<Category, PaintedOutcome[]>();
        for (const photo of evenly(complete, PHOTOS_FILMED)) {
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
    const everyday = sets.flatMap(({ photos }) => photos).filter(({ absent }) => absent.size > 0);
    const films: TrackedFilm[] = [];
    for (const photo of evenly(everyday, EVERYDAY_FILMED)) {
      films.push({ photo, tracks: await trackPhoto(photo, PANS[1], service) });
    }
    onProgress(`${spec.name}: ${films.length} everyday photos filmed`);
    return { filmed, presence: presenceInFilms(films), clips: await evaluateClips() };
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
