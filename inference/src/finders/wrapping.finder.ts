import type { Category } from "../detections/categories.ts";
import type { Detection } from "../detections/detection.ts";
import type { Picture } from "../images/decode.ts";
import type { SecondLookThreads } from "../workers/model-threads.ts";
import type { WorkerPool } from "../workers/pool.ts";
import type { Finder, Question } from "./finder.ts";
import type { ModelRunner } from "./runner.ts";

/** A finder with a detector's manifest. */
type DetectorFinder = Finder & Pick<ModelRunner, "manifest">;

export interface WrappingOptions {
  readonly finder: DetectorFinder;
  /** The network that judges crops. */
  readonly thread: Pick<SecondLookThreads, "manifest" | "judge">;
  readonly pool: Pick<WorkerPool, "run" | "cut">;
}

/** Adds a second network's judgment of crops to the detections of another finder. */
export abstract class WrappingFinder implements DetectorFinder {
  readonly manifest: ModelRunner["manifest"];
  readonly categories: readonly Category[];
  protected readonly finder: WrappingOptions["finder"];
  protected readonly thread: WrappingOptions["thread"];
  protected readonly pool: WrappingOptions["pool"];

  constructor({ finder, thread, pool }: WrappingOptions) {
    this.manifest = finder.manifest;
    this.categories = finder.categories;
    this.finder = finder;
    this.thread = thread;
    this.pool = pool;
  }

  /** Number of views that wait for stage one. */
  get waiting(): number {
    return this.finder.waiting;
  }

  abstract find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]>;
}
