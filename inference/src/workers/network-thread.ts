import type { Detection } from "../detections/detection.ts";
import type { Manifest } from "../models/manifest.ts";
import type { Look } from "../models/read-answer.ts";
import { ModelThread } from "./model-thread.ts";
import type { LoadTask } from "./network-worker.ts";

/** A network in its own thread. */
export class NetworkThread {
  readonly #thread: ModelThread<Manifest>;

  private constructor(thread: ModelThread<Manifest>) {
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads a model in it.
   * @throws Error if `Network.load` does.
   */
  static async start(task: LoadTask): Promise<NetworkThread> {
    return new NetworkThread(await ModelThread.start(new URL("network-worker.ts", import.meta.url), task));
  }

  get manifest(): Manifest {
    return this.#thread.manifest;
  }

  /** Runs views of one size as one batch. Their memory is transferred, not copied. */
  async look(looks: readonly Look[]): Promise<Detection[][]> {
    return await this.#thread.run(
      "look",
      looks,
      looks.map(({ tensor }) => tensor.data.buffer as ArrayBuffer),
    );
  }

  /** Frees the session and ends the thread after the running tasks. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
