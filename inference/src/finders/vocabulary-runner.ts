import { CATEGORIES, type Category } from "../detections/categories.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Picture } from "../images/decode.ts";
import type { Detection } from "../detections/detection.ts";
import { reportedFrom, type Finder, type Question } from "./finder.ts";
import { Gate } from "../platform/gate.ts";
import { ModelThread } from "../workers/model-thread.ts";
import type { AskVocabularyTask, LoadVocabularyTask } from "../workers/vocabulary-worker.ts";
import type { VocabularyManifest } from "../models/vocabulary-manifest.ts";

/**
 * Finds by words: a zero-shot detector that is asked for each category by its prompts, in a thread of its own. It looks at
 * the whole picture at one size, so it is for what fills some of it and for what no trained class describes.
 */
export class VocabularyRunner implements Finder {
  readonly categories: readonly Category[];
  readonly #thread: ModelThread<VocabularyManifest>;
  readonly #turn = new Gate(1);

  private constructor(thread: ModelThread<VocabularyManifest>) {
    this.#thread = thread;
    this.categories = CATEGORIES.filter((category) => thread.manifest.prompts[category] !== undefined);
  }

  /**
   * Starts a thread and loads a model in it.
   * @throws Error when the optional package, the manifest or the network is missing or wrong.
   */
  static async start(task: LoadVocabularyTask): Promise<VocabularyRunner> {
    const worker = new URL("../workers/vocabulary-worker.ts", import.meta.url);
    return new VocabularyRunner(await ModelThread.start(worker, task));
  }

  get manifest(): VocabularyManifest {
    return this.#thread.manifest;
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
      const own = await this.#turn.hold(signal, async () => await this.#thread.run<Detection[]>("ask", task));
      found.push(...suppress(own, suppression));
    }
    return found;
  }

  /** Frees the network and ends the thread, after what is under way. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
