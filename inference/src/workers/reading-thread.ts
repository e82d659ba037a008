import type { PackagedNetwork } from "../models/packaged-network.ts";
import type { Reading } from "../writing/reading.ts";
import { ModelThreads } from "./model-threads.ts";
import type { LoadReadingTask, ReadTask } from "./reading-worker.ts";

/** The recognizer of lines in its own thread. */
export class ReadingThread {
  readonly #thread: ModelThreads<PackagedNetwork>;

  private constructor(thread: ModelThreads<PackagedNetwork>) {
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads the network in it.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadReadingTask): Promise<ReadingThread> {
    const worker = new URL("reading-worker.ts", import.meta.url);
    return new ReadingThread(await ModelThreads.start(worker, task));
  }

  get manifest(): PackagedNetwork {
    return this.#thread.manifest;
  }

  /** Reads one line of a picture, whose memory is shared with the thread. */
  async read(task: ReadTask): Promise<Reading> {
    return await this.#thread.run("read", task);
  }

  /** Frees the session and ends the thread after the running tasks. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
