import type { Judged } from "../second-look/judged.ts";
import type { SecondLookManifest } from "../second-look/manifest.ts";
import { ModelThread } from "./model-thread.ts";
import type { JudgeTask, LoadSecondLookTask } from "./second-look-worker.ts";

/** The second look's network in its own thread. */
export class SecondLookThread {
  readonly #thread: ModelThread<SecondLookManifest>;

  private constructor(thread: ModelThread<SecondLookManifest>) {
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads the network in it.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadSecondLookTask): Promise<SecondLookThread> {
    const worker = new URL("second-look-worker.ts", import.meta.url);
    return new SecondLookThread(await ModelThread.start(worker, task));
  }

  get manifest(): SecondLookManifest {
    return this.#thread.manifest;
  }

  /** Judges crops. Their memory is transferred, not copied. */
  async judge(task: JudgeTask): Promise<Judged> {
    const handedOver = [task.crops.buffer as ArrayBuffer, task.boxes.buffer as ArrayBuffer];
    return await this.#thread.run("judge", task, handedOver);
  }

  /** Frees the session and ends the thread after the running tasks. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
