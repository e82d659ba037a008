import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { SecondLookManifest } from "../second-look/manifest.ts";
import type { Judged, JudgeTask, LoadSecondLookTask } from "./second-look-worker.ts";

/** The second look's network in a thread of its own, since onnxruntime-node runs on the thread that calls it. */
export class SecondLookThread {
  readonly manifest: SecondLookManifest;
  readonly #thread: Piscina;

  private constructor(manifest: SecondLookManifest, thread: Piscina) {
    this.manifest = manifest;
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads the network in it.
   * @throws Error when the manifest or the network is missing or wrong.
   */
  static async start(task: LoadSecondLookTask): Promise<SecondLookThread> {
    const thread = new Piscina({
      filename: fileURLToPath(new URL("second-look-worker.ts", import.meta.url)),
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
    });
    try {
      return new SecondLookThread((await thread.run(task, { name: "load" })) as SecondLookManifest, thread);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  /** Judges crops; their memory is handed over, not copied. */
  async judge(task: JudgeTask): Promise<Judged> {
    const transferList = [task.crops.buffer as ArrayBuffer, task.boxes.buffer as ArrayBuffer];
    return (await this.#thread.run(task, { name: "judge", transferList })) as Judged;
  }

  /** Frees the session and ends the thread, after what is under way. */
  async stop(): Promise<void> {
    await this.#thread.run(undefined, { name: "release" });
    await this.#thread.close();
  }
}
