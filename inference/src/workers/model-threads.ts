import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { Detection } from "../detections/detection.ts";
import type { Manifest } from "../models/manifest.ts";
import type { PackagedNetwork } from "../models/packaged-network.ts";
import type { Look } from "../models/read-answer.ts";
import type { Judged } from "../second-look/judged.ts";
import type { SecondLookManifest } from "../second-look/manifest.ts";
import type { TimeRange } from "../speech/speech-ranges.ts";
import type { Reading } from "../writing/reading.ts";
import type { LoadTask } from "./network-worker.ts";
import type { LoadReadingTask, ReadTask } from "./reading-worker.ts";
import type { JudgeTask, LoadSecondLookTask, TimedJudged } from "./second-look-worker.ts";
import type { LoadSpeechTask } from "./speech-worker.ts";

interface Started<Loaded> {
  readonly manifest: Loaded;
  readonly threads: readonly Piscina[];
}

/**
 * A model in one or more threads, because onnxruntime-node blocks the thread that calls it. Each thread has a session, and on a GPU
 * each session has a CUDA stream, so that one computes while another copies.
 */
abstract class ModelThreads<Loaded> {
  readonly manifest: Loaded;
  readonly #threads: readonly Piscina[];
  #runs = 0;

  constructor({ manifest, threads }: Started<Loaded>) {
    this.manifest = manifest;
    this.#threads = threads;
  }

  /** The number of threads, which is how many tasks run at once. */
  get count(): number {
    return this.#threads.length;
  }

  /** Frees the model and ends the threads after the running tasks. */
  async stop(): Promise<void> {
    await Promise.all(
      this.#threads.map(async (thread) => {
        try {
          await thread.run(undefined, { name: "release" });
        } finally {
          await thread.close();
        }
      }),
    );
  }

  /** Runs a task in the next thread in turn, so that one that fails at once does not draw all tasks. Memory in `transferList` is transferred, not copied. */
  protected async run<Answer>(
    name: string,
    task: unknown,
    transferList: ArrayBuffer[] = [],
  ): Promise<Answer> {
    const thread = this.#threads[this.#runs++ % this.#threads.length];
    return (await thread?.run(task, { name, transferList })) as Answer;
  }
}

/**
 * Starts threads whose workers load a model.
 * @param worker The name of the worker's file, which exports `load` and `release`.
 * @throws Error if the worker's `load` throws.
 */
async function started<Loaded>(worker: string, task: unknown, count = 1): Promise<Started<Loaded>> {
  const filename = fileURLToPath(new URL(worker, import.meta.url));
  const threads = Array.from(
    { length: count },
    () => new Piscina({ filename, minThreads: 1, maxThreads: 1, concurrentTasksPerWorker: 1 }),
  );
  try {
    const [manifest] = await Promise.all(
      threads.map(async (thread) => (await thread.run(task, { name: "load" })) as Loaded),
    );
    if (manifest === undefined) throw new RangeError("A model needs at least one thread.");
    return { manifest, threads };
  } catch (error) {
    await Promise.all(threads.map(async (thread) => thread.close()));
    throw error;
  }
}

/** A network in threads of its own. */
export class NetworkThreads extends ModelThreads<Manifest> {
  /**
   * Starts threads and loads a model in each.
   * @throws Error if `Network.load` does.
   */
  static async start(task: LoadTask, count: number): Promise<NetworkThreads> {
    return new NetworkThreads(await started("network-worker.ts", task, count));
  }

  /** Runs views of one size as one batch. Their memory is transferred, not copied. */
  async look(looks: readonly Look[]): Promise<Detection[][]> {
    const transferred = looks.map(({ tensor }) => tensor.data.buffer as ArrayBuffer);
    return await this.run("look", looks, transferred);
  }
}

/** Called for every batch with its number of views or crops and the network's time in seconds. */
export type OnBatch = (views: number, seconds: number) => void;

const BOX_VALUES = 4;

/** The second look's network in threads of its own. */
export class SecondLookThreads extends ModelThreads<SecondLookManifest> {
  #onBatch: OnBatch | undefined;

  /**
   * Starts threads and loads the network in each.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadSecondLookTask, count: number): Promise<SecondLookThreads> {
    return new SecondLookThreads(await started("second-look-worker.ts", task, count));
  }

  /** Judges crops. Their memory is transferred, not copied. */
  async judge(task: JudgeTask): Promise<Judged> {
    const transferred = [task.crops.buffer as ArrayBuffer, task.boxes.buffer as ArrayBuffer];
    const crops = task.boxes.length / BOX_VALUES;
    const { judged, networkSeconds } = await this.run<TimedJudged>("judge", task, transferred);
    this.#onBatch?.(crops, networkSeconds);
    return judged;
  }

  /** Calls `onBatch` after each run of the network from now on. */
  watch(onBatch: OnBatch): void {
    this.#onBatch = onBatch;
  }
}

/** The recognizer of lines in its own thread. */
export class ReadingThread extends ModelThreads<PackagedNetwork> {
  /**
   * Starts a thread and loads the network in it.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadReadingTask): Promise<ReadingThread> {
    return new ReadingThread(await started("reading-worker.ts", task));
  }

  /** Reads one line of a picture, whose memory is shared with the thread. */
  async read(task: ReadTask): Promise<Reading> {
    return await this.run("read", task);
  }
}

/** The speech network in its own thread. */
export class SpeechThread extends ModelThreads<PackagedNetwork> {
  /**
   * Starts a thread and loads the network in it.
   * @throws Error if the manifest or the network is missing or invalid.
   */
  static async start(task: LoadSpeechTask): Promise<SpeechThread> {
    return new SpeechThread(await started("speech-worker.ts", task));
  }

  /** Finds the ranges in which somebody speaks, in seconds. The samples' memory is shared with the thread. */
  async listen(samples: Int16Array): Promise<TimeRange[]> {
    return await this.run("listen", samples);
  }
}
