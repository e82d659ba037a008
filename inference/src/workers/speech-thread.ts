import type { PackagedNetwork } from "../models/packaged-network.ts";
import type { TimeRange } from "../speech/speech-ranges.ts";
import { ModelThreads } from "./model-threads.ts";
import type { LoadSpeechTask } from "./speech-worker.ts";

/** The speech network in its own thread. */
export class SpeechThread {
  readonly #thread: ModelThreads<PackagedNetwork>;

  private constructor(thread: ModelThreads<PackagedNetwork>) {
    this.#thread = thread;
  }

  /**
   * Starts a thread and loads the network in it.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadSpeechTask): Promise<SpeechThread> {
    const worker = new URL("speech-worker.ts", import.meta.url);
    return new SpeechThread(await ModelThreads.start(worker, task));
  }

  get manifest(): PackagedNetwork {
    return this.#thread.manifest;
  }

  /** Finds the ranges in which somebody speaks, in seconds. The samples' memory is shared with the thread. */
  async listen(samples: Int16Array): Promise<TimeRange[]> {
    return await this.#thread.run("listen", samples);
  }

  /** Frees the session and ends the thread after the running tasks. */
  async stop(): Promise<void> {
    await this.#thread.stop();
  }
}
