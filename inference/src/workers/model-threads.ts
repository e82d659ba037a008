import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";

interface Session {
  readonly thread: Piscina;
  /** Tasks that were sent to the thread and have not ended. */
  tasks: number;
}

/**
 * A model in one or more threads, because onnxruntime-node blocks the thread that calls it. Each thread has a session, and on a GPU
 * each session has a CUDA stream, so that one computes while another copies.
 */
export class ModelThreads<Manifest> {
  readonly manifest: Manifest;
  readonly #sessions: readonly Session[];

  private constructor(manifest: Manifest, sessions: readonly Session[]) {
    this.manifest = manifest;
    this.#sessions = sessions;
  }

  /**
   * Starts threads whose workers load a model.
   * @param worker The worker's file, which exports `load` and `release`.
   * @param count How many threads.
   * @throws Error if the worker's `load` throws.
   */
  static async start<Manifest>(worker: URL, task: unknown, count = 1): Promise<ModelThreads<Manifest>> {
    const sessions = Array.from({ length: count }, () => ({ thread: oneThread(worker), tasks: 0 }));
    const loads = await Promise.allSettled(
      sessions.map(async ({ thread }) => (await thread.run(task, { name: "load" })) as Manifest),
    );
    const [first] = loads;
    const failed = loads.find((load) => load.status === "rejected");
    if (failed === undefined && first?.status === "fulfilled") {
      return new ModelThreads(first.value, sessions);
    }
    await Promise.all(sessions.map(async ({ thread }) => thread.close()));
    throw failed?.reason ?? new RangeError("A model needs at least one thread.");
  }

  /** The number of threads, which is how many tasks run at once. */
  get count(): number {
    return this.#sessions.length;
  }

  /** Runs a task in the thread with the fewest tasks. Memory in `transferList` is transferred, not copied. */
  async run<Answer>(name: string, task: unknown, transferList: ArrayBuffer[] = []): Promise<Answer> {
    const session = this.#sessions.reduce((least, other) => (other.tasks < least.tasks ? other : least));
    session.tasks += 1;
    try {
      return (await session.thread.run(task, { name, transferList })) as Answer;
    } finally {
      session.tasks -= 1;
    }
  }

  /** Frees the model and ends the threads after the running tasks. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#sessions.map(async ({ thread }) => {
        await thread.run(undefined, { name: "release" });
        await thread.close();
      }),
    );
  }
}

function oneThread(worker: URL): Piscina {
  return new Piscina({
    filename: fileURLToPath(worker),
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: 1,
  });
}
