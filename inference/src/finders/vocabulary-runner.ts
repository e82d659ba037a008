import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { Category } from "../detections/categories.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Picture } from "../images/decode.ts";
import type { Detection } from "../detections/detection.ts";
import { reportedFrom, type Finder, type Question } from "./finder.ts";
import { Gate } from "../platform/gate.ts";
import type { AskVocabularyTask, LoadVocabularyTask } from "../workers/vocabulary-worker.ts";
import type { VocabularyManifest } from "../models/vocabulary-manifest.ts";

/**
 * Finds by words: a zero-shot detector that is asked for each category by its prompts, in a thread of its own. It looks at
 * the whole picture at one size, so it is for what fills some of it and for what no trained class describes.
 */
export class VocabularyRunner implements Finder {
  readonly manifest: VocabularyManifest;
  readonly categories: readonly Category[];
  readonly #thread: Piscina;
  readonly #turn = new Gate(1);

  private constructor(manifest: VocabularyManifest, thread: Piscina) {
    this.manifest = manifest;
    this.categories = Object.keys(manifest.prompts) as Category[];
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads a model in it.
   * @throws Error when the optional package, the manifest or the network is missing or wrong.
   */
  static async start(task: LoadVocabularyTask): Promise<VocabularyRunner> {
    const thread = new Piscina({
      filename: fileURLToPath(new URL("../workers/vocabulary-worker.ts", import.meta.url)),
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
    });
    try {
      return new VocabularyRunner((await thread.run(task, { name: "load" })) as VocabularyManifest, thread);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  get waiting(): number {
    return this.#turn.waiting;
  }

  async find(picture: Picture, question: Question, signal: AbortSignal): Promise<Detection[]> {
    const { prompts, suppression } = this.manifest;
    const found: Detection[] = [];
    for (const category of question.categories) {
      const words = prompts[category];
      if (words === undefined) continue;
      const task: AskVocabularyTask = {
        picture,
        category,
        prompts: words,
        threshold: reportedFrom(this, category, question),
      };
      const own = await this.#turn.hold(
        signal,
        async () => (await this.#thread.run(task, { name: "ask" })) as Detection[],
      );
      found.push(...suppress(own, suppression));
    }
    return found;
  }

  /** Frees the network and ends the thread, after what is under way. */
  async stop(): Promise<void> {
    await this.#thread.run(undefined, { name: "release" });
    await this.#thread.close();
  }
}
