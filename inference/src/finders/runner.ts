import type { Category } from "../detections/categories.ts";
import type { Picture } from "../images/decode.ts";
import { inputSizeOf, type TensorFormat, type View, type ViewTensor } from "../images/view.ts";
import type { Detection } from "../detections/detection.ts";
import { reportedFrom, type Finder, type Question } from "./finder.ts";
import { Gate } from "../platform/gate.ts";
import type { NetworkThreads, OnBatch } from "../workers/model-threads.ts";
import type { WorkerPool } from "../workers/pool.ts";
import { Batcher, type BatchLimits } from "./batcher.ts";
import { categoriesOf, type Manifest } from "../models/manifest.ts";
import { mergePasses, readingThresholds } from "../models/merge-passes.ts";
import { boxCategoriesOf, textCategoryOf } from "../models/adapters/outputs.ts";
import { planPasses } from "../models/plan-passes.ts";

export interface RunnerOptions {
  readonly network: NetworkThreads;
  readonly pool: WorkerPool;
  readonly batch: Omit<BatchLimits, "parallelBatches">;
  /** Whether only one frame is being processed, so that no other frame's views can join a batch. */
  readonly isLone: () => boolean;
  readonly onBatch: OnBatch;
}

/** Finds objects with one network: plans the passes, collects them into batches, and reads and merges the answers. */
export class ModelRunner implements Finder {
  readonly manifest: Manifest;
  readonly categories: readonly Category[];
  readonly #pool: WorkerPool;
  readonly #batcher: Batcher;
  readonly #views: Gate;
  /** Number of views on their way to the batcher, by the size of their tensor. */
  readonly #coming = new Map<string, number>();

  constructor({ network, pool, batch: usual, isLone, onBatch }: RunnerOptions) {
    this.manifest = network.manifest;
    const most = network.manifest.input.max_batch ?? usual.maxViews;
    const batch = { ...usual, maxViews: Math.min(usual.maxViews, most), parallelBatches: network.count };
    this.categories = categoriesOf(network.manifest);
    this.#pool = pool;
    // While all threads run a batch, the next one fills.
    this.#views = new Gate(batch.maxViews * (network.count + 1));
    this.#batcher = new Batcher(
      async (looks) => {
        const start = performance.now();
        const found = await network.look(looks);
        onBatch(looks.length, (performance.now() - start) / 1000);
        return found;
      },
      batch,
      ({ tensor }) => !isLone() || (this.#coming.get(nameOf(tensor)) ?? 0) > 0,
    );
  }

  /** Number of views that wait for the network. */
  get waiting(): number {
    return this.#batcher.waiting;
  }

  async find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const thresholds = this.#thresholds(question);
    const { width, height } = picture;
    const text = textCategoryOf(this.manifest.outputs);
    const wantsText = text !== undefined && thresholds.has(text);
    const wantsBoxes = boxCategoriesOf(this.manifest.outputs).some((name) => thresholds.has(name));
    const passes = planPasses(this.manifest, picture, question).filter(
      (pass) => (wantsBoxes && pass.readsBoxes) || (wantsText && pass.readsText),
    );
    const readFrom = readingThresholds(this.manifest, passes, thresholds);
    const found = await Promise.all(
      passes.map(async (pass) =>
        this.#views.hold(signal, async () => {
          const tensor = await this.#cut(picture, pass.view, signal);
          const look = { tensor, pass, picture: { width, height }, thresholds: readFrom };
          return { pass, detections: await this.#batcher.add(look, signal) };
        }),
      ),
    );
    return mergePasses(this.manifest, found, thresholds);
  }

  async #cut(picture: Picture, view: View, signal: AbortSignal): Promise<ViewTensor> {
    const size = nameOf(inputSizeOf(view, this.manifest.input.size_multiple));
    this.#coming.set(size, (this.#coming.get(size) ?? 0) + 1);
    try {
      return await this.#pool.run("view", { picture, view, format: this.#format() }, signal);
    } finally {
      this.#coming.set(size, (this.#coming.get(size) ?? 1) - 1);
    }
  }

  #format(): TensorFormat {
    const { pad_value: padValue, size_multiple: sizeMultiple, ...input } = this.manifest.input;
    return { ...input, padValue, sizeMultiple };
  }

  #thresholds(question: Question): Map<Category, number> {
    const served = question.categories.filter((category) => this.categories.includes(category));
    return new Map(served.map((category) => [category, reportedFrom(this, category, question)]));
  }
}

function nameOf({ width, height }: { width: number; height: number }): string {
  return `${width}×${height}`;
}
