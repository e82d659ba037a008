import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";

/** A model in a thread of its own, since onnxruntime-node runs on the thread that calls it. */
export class ModelThread<Manifest> {
  readonly manifest: Manifest;
  readonly #thread: Piscina;

  private constructor(manifest: Manifest, thread: Piscina) {
    this.manifest = manifest;
    this.#thread = thread;
  }

  /**
   * Starts a thread and has its worker load a model.
   * @param worker The worker's file, which exports `load` and `release`.
   * @throws Error as the worker's `load` does.
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

  /** Has the worker run a task; memory in `transferList` is handed over, not copied. */
  async run<Answer>(name: string, task: unknown, transferList: ArrayBuffer[] = []): Promise<Answer> {
    return (await this.#thread.run(task, { name, transferList })) as Answer;
  }

  /** Frees the model and ends the thread, after what is under way. */
  async stop(): Promise<void> {
    await this.#thread.run(undefined, { name: "release" });
    await this.#thread.close();
  }
}
