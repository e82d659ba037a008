import type { Category } from "../detections/categories.ts";
import type { Box } from "../geometry/box.ts";
import { suppress, type SuppressionLimits } from "../geometry/suppress.ts";
import type { Picture } from "../images/decode.ts";
import type { ModelRunner } from "./runner.ts";
import type { Detection } from "../detections/detection.ts";
import { reportedFrom, type Finder, type Question } from "./finder.ts";
import type { WholePictures } from "./whole-pictures.ts";
import type { WorkerPool } from "../workers/pool.ts";
import type { SecondLookThreads } from "../workers/model-threads.ts";
import { joinJudged, MAX_BATCH, type Judged } from "../second-look/judged.ts";
import { withCompanions } from "../second-look/companions.ts";
import { fuseConfidence, refineBox } from "../second-look/fuse.ts";
import type { Judgment } from "../second-look/manifest.ts";
import { weighedIn, type Scene } from "../second-look/scene.ts";
import { fromWindow, toWindow, windowAround, type Window } from "../second-look/windows.ts";

export interface SecondLookOptions {
  /** Stage one, or another second look at stage one's proposals. */
  readonly proposer: ModelRunner | SecondLookFinder;
  readonly thread: SecondLookThreads;
  readonly pool: WorkerPool;
  /** The same network's looks at whole pictures. */
  readonly wholes: WholePictures;
}

/** A detection of stage one and the window of the second look at it. */
interface Proposal {
  readonly detection: Detection;
  readonly window: Window;
}

/** A window, and the place in it of what is judged, in 0…1 of the window. */
interface Look {
  readonly window: Window;
  readonly box: Box;
}

/**
 * Looks twice: a detector proposes detections at low confidence, and a second network sees each proposal as a crop of the
 * picture's original pixels. Reports the combined confidence and moves the box toward the refined one.
 */
export class SecondLookFinder implements Finder {
  readonly manifest: ModelRunner["manifest"];
  readonly categories: readonly Category[];
  readonly #proposer: SecondLookOptions["proposer"];
  readonly #thread: SecondLookThreads;
  readonly #pool: WorkerPool;
  readonly #wholes: WholePictures;

  constructor({ proposer, thread, pool, wholes }: SecondLookOptions) {
    this.manifest = proposer.manifest;
    this.categories = proposer.categories;
    this.#proposer = proposer;
    this.#thread = thread;
    this.#pool = pool;
    this.#wholes = wholes;
  }

  /** Number of views that wait for stage one. */
  get waiting(): number {
    return this.#proposer.waiting;
  }

  async find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const { videos, max_crops: usualMost } = this.#thread.manifest;
    const frames = question.isSingleLook ? videos : undefined;
    const minConfidence = Object.fromEntries(
      question.categories.map((name) => {
        const reported = reportedFrom(this, name, question);
        const from = this.#judgmentOf(name, question)?.from ?? reported;
        // In a frame, a detection below the confidence at which the second look starts keeps stage one's result.
        return [name, frames === undefined ? from : Math.min(from, reported)] as const;
      }),
    );
    const proposed = await this.#proposer.find(
      picture,
      { ...question, minConfidence, withCandidates: false },
      signal,
    );
    const {
      again = [],
      faint = [],
      alone = [],
    } = Object.groupBy(proposed, ({ category, confidence }) => {
      if (this.#judgmentOf(category, question) === undefined) return "alone";
      return confidence >= (frames?.from ?? 0) ? "again" : "faint";
    });
    const most = frames?.max_crops ?? usualMost;
    const withScene = !question.isSingleLook;
    const judged = await this.#judge({ picture, found: again, most, withScene }, signal);
    const isReported = ({ category, confidence }: Detection): boolean =>
      confidence >= reportedFrom(this, category, question);
    return [...alone, ...this.#suppressed([...judged, ...faint], question).filter(isReported)];
  }

  /** The rules by which this finder judges a category again. Undefined if it does not. */
  #judgmentOf(name: Category, { isSingleLook }: Question): Judgment | undefined {
    const judgment = this.#thread.manifest.judgments[name];
    const isOfPhotos = judgment?.in_videos !== "each" || judgment.filters_below !== undefined;
    return isSingleLook && isOfPhotos ? undefined : judgment;
  }

  async #judge({ picture, found, most, withScene }: JudgeJob, signal: AbortSignal): Promise<Detection[]> {
    const scene =
      withScene && this.#usesScene(found) ? await this.#wholes.sceneOf(picture, signal) : undefined;
    const ordered = found.toSorted((a, b) => b.confidence - a.confidence);
    const proposals = ordered.slice(0, most).map((detection) => ({
      detection,
      window: windowAround(detection.box, picture, this.#thread.manifest),
    }));
    if (proposals.length === 0) return [];
    const looks = proposals.map(({ detection, window }) => ({
      window,
      box: toWindow(detection.box, window, picture),
    }));
    const judged = await this.#judgeAll(picture, looks, signal);
    return [
      ...proposals.flatMap((proposal, index) => this.#fuse({ proposal, picture, judged, index, scene })),
      ...ordered.slice(most),
    ];
  }

  /** Cuts the next windows while the network sees the ones before. */
  async #judgeAll(picture: Picture, looks: readonly Look[], signal: AbortSignal): Promise<Judged> {
    const { crop_pixels: cropPixels, pad_value: padValue } = this.#thread.manifest;
    const format = { cropPixels, padValue };
    const parts = Array.from({ length: Math.ceil(looks.length / MAX_BATCH) }, (_, index) =>
      looks.slice(index * MAX_BATCH, (index + 1) * MAX_BATCH),
    );
    const judged = await Promise.all(
      parts.map(async (part) => {
        const windows = part.map(({ window }) => window);
        const boxes = part.flatMap(({ box: { left, top, right, bottom } }) => [left, top, right, bottom]);
        const crops = await this.#pool.cut(picture, { windows, format }, signal);
        return await this.#thread.judge({ crops, boxes: Float32Array.from(boxes) });
      }),
    );
    return joinJudged(judged);
  }

  #usesScene(found: readonly Detection[]): boolean {
    return found.some(({ category }) => this.#thread.manifest.judgments[category]?.in_scene !== undefined);
  }

  /** The detection after both looks, or none if a filter drops it. */
  #fuse({ proposal, picture, judged, index, scene }: FuseJob): Detection[] {
    const { classes, judgments, quantiles } = this.#thread.manifest;
    const { detection, window } = proposal;
    const judgment = judgments[detection.category];
    if (judgment === undefined) return [detection];
    const second = judged.scores[index * classes.length + classes.indexOf(detection.category)] ?? 0;
    if (judgment.filters_below !== undefined) {
      const combined = fuseConfidence(detection.confidence, second, judgment);
      return combined >= judgment.filters_below ? [detection] : [];
    }
    // Without a quantile, the first of a crop's refined boxes counts; most networks answer one.
    const chosen = judgment.quantile === undefined ? 0 : (quantiles?.indexOf(judgment.quantile) ?? 0);
    const box = index * (quantiles?.length ?? 1) + chosen;
    const [left = 0, top = 0, right = 1, bottom = 1] = judged.boxes.subarray(box * 4, box * 4 + 4);
    const refined = fromWindow({ left, top, right, bottom }, window, picture);
    const weighing = scene === undefined ? judgment : weighedIn(scene, detection.box, { picture, judgment });
    const confidence = fuseConfidence(detection.confidence, second, weighing);
    return [{ category: detection.category, confidence, box: refineBox(detection.box, refined, judgment) }];
  }

  /** Suppresses again, because separate boxes may turn out to be one object once they are refined. */
  #suppressed(found: readonly Detection[], { isSingleLook }: Question): Detection[] {
    const { containment, ...usual } = this.manifest.suppression;
    const { overlap = usual.overlap } = this.#thread.manifest;
    const engulfing = { ...usual.engulfing, ...this.#thread.manifest.engulfing };
    const ofCategory = Map.groupBy(found, ({ category }) => category);
    return [...ofCategory].flatMap(([category, own]) => {
      const limits: SuppressionLimits = { overlap, containment, engulfing: engulfing[category] };
      const apart = suppress(own, limits);
      const judgment = this.#thread.manifest.judgments[category];
      if (isSingleLook || judgment === undefined) return apart;
      return withCompanions(apart, judgment, this.manifest.thresholds[category] ?? 1);
    });
  }
}

interface JudgeJob {
  readonly picture: Picture;
  readonly found: readonly Detection[];
  /** How many proposals are judged, the most confident first. */
  readonly most: number;
  /** Whether the rest of the picture counts. */
  readonly withScene: boolean;
}

interface FuseJob {
  readonly proposal: Proposal;
  readonly picture: Picture;
  readonly judged: Judged;
  readonly index: number;
  readonly scene: Scene | undefined;
}
