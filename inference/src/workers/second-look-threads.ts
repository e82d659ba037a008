import type { Judged } from "../second-look/judged.ts";
import type { SecondLookManifest } from "../second-look/manifest.ts";
import { ModelThreads } from "./model-threads.ts";
import type { JudgeTask, LoadSecondLookTask } from "./second-look-worker.ts";

/** The second look's network in threads of its own. */
export class SecondLookThreads {
  readonly #threads: ModelThreads<SecondLookManifest>;

  private constructor(threads: ModelThreads<SecondLookManifest>) {
    this.#threads = threads;
  }

  /**
   * Starts threads and loads the network in each.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadSecondLookTask, count: number): Promise<SecondLookThreads> {
    const worker = new URL("second-look-worker.ts", import.meta.url);
    return new SecondLookThreads(await ModelThreads.start(worker, task, count));
  }

  get manifest(): SecondLookManifest {
    return this.#threads.manifest;
  }

  /** Judges crops. Their memory is transferred, not copied. */
  async judge(task: JudgeTask): Promise<Judged> {
    const handedOver = [task.crops.buffer as ArrayBuffer, task.boxes.buffer as ArrayBuffer];
    return await this.#threads.run("judge", task, handedOver);
  }

  /** Frees the sessions and ends the threads after the running tasks. */
  async stop(): Promise<void> {
    await this.#threads.stop();
  }
}
