import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { Manifest } from "../models/manifest.ts";
import type { Look } from "../models/read-answer.ts";
import type { Detection } from "../detections/detection.ts";
import type { LoadTask } from "./network-worker.ts";

/** A network in a thread of its own, since onnxruntime-node runs on the thread that calls it. */
export class NetworkThread {
  readonly manifest: Manifest;
  readonly #thread: Piscina;

  private constructor(manifest: Manifest, thread: Piscina) {
    this.manifest = manifest;
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads a model in it.
   * @throws Error as `Network.load` does.
   */
  static async start(task: LoadTask): Promise<NetworkThread> {
    const thread = new Piscina({
      filename: fileURLToPath(new URL("network-worker.ts", import.meta.url)),
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
    });
    try {
      return new NetworkThread((await thread.run(task, { name: "load" })) as Manifest, thread);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  /** Runs views of one size as one batch; their memory is handed over, not copied. */
  async look(looks: readonly Look[]): Promise<Detection[][]> {
    const transferList = looks.map(({ tensor }) => tensor.data.buffer as ArrayBuffer);
    return (await this.#thread.run(looks, { name: "look", transferList })) as Detection[][];
  }

  /** Frees the session and ends the thread, after what is under way. */
  async stop(): Promise<void> {
    await this.#thread.run(undefined, { name: "release" });
    await this.#thread.close();
  }
}
