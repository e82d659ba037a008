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
 * Finds by words: a zero-shot detector in its own thread that looks for each category by its prompts. It sees the whole picture
 * at one size. So it suits objects that fill much of the picture and that no trained class describes.
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
   * @throws Error if the optional package, the manifest or the network is missing or wrong.
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

  /** Frees the network and ends the thread after the running tasks. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
