import type { Detection } from "../detections/detection.ts";
import type { Manifest } from "../models/manifest.ts";
import type { Look } from "../models/read-answer.ts";
import { ModelThreads } from "./model-threads.ts";
import type { LoadTask } from "./network-worker.ts";

/** A network in threads of its own. */
export class NetworkThreads {
  readonly #threads: ModelThreads<Manifest>;

  private constructor(threads: ModelThreads<Manifest>) {
    this.#threads = threads;
  }

  /**
   * Starts threads and loads a model in each.
   * @throws Error if `Network.load` does.
   */
  static async start(task: LoadTask, count: number): Promise<NetworkThreads> {
    const worker = new URL("network-worker.ts", import.meta.url);
    return new NetworkThreads(await ModelThreads.start(worker, task, count));
  }

  /** How many batches run at once. */
  get count(): number {
    return this.#threads.count;
  }

  get manifest(): Manifest {
    return this.#threads.manifest;
  }

  /** Runs views of one size as one batch. Their memory is transferred, not copied. */
  async look(looks: readonly Look[]): Promise<Detection[][]> {
    return await this.#threads.run(
      "look",
      looks,
      looks.map(({ tensor }) => tensor.data.buffer as ArrayBuffer),
    );
  }

  /** Frees the sessions and ends the threads after the running tasks. */
  async stop(): Promise<void> {
    await this.#threads.stop();
  }
}
