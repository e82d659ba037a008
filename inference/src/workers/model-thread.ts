import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";

/** A model in its own thread, because onnxruntime-node blocks the thread that calls it. */
export class ModelThread<Manifest> {
  readonly manifest: Manifest;
  readonly #thread: Piscina;

  private constructor(manifest: Manifest, thread: Piscina) {
    this.manifest = manifest;
    this.#thread = thread;
  }

  /**
   * Starts a thread whose worker loads a model.
   * @param worker The worker's file, which exports `load` and `release`.
   * @throws Error if the worker's `load` throws.
   */
  static async start<Manifest>(worker: URL, task: unknown): Promise<ModelThread<Manifest>> {
    const thread = new Piscina({
      filename: fileURLToPath(worker),
      minThreads: 1,
      maxThreads: 1,
      concurrentTasksPerWorker: 1,
    });
    try {
      return new ModelThread((await thread.run(task, { name: "load" })) as Manifest, thread);
    } catch (error) {
      await thread.close();
      throw error;
    }
  }

  /** Runs a task in the worker. Memory in `transferList` is transferred, not copied. */
  async run<Answer>(name: string, task: unknown, transferList: ArrayBuffer[] = []): Promise<Answer> {
    return (await this.#thread.run(task, { name, transferList })) as Answer;
  }

  /** Frees the model and ends the thread after the running tasks. */
  async stop(): Promise<void> {
    await this.#thread.run(undefined, { name: "release" });
    await this.#thread.close();
  }
}
