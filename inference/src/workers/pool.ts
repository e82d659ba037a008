import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { FoundCode } from "../codes/found-code.ts";
import type { CodePicture } from "../codes/passes.ts";
import type { DecodedFrame, Picture, Refusal } from "../images/decode.ts";
import type { ViewTensor } from "../images/view.ts";
import { Gate } from "../platform/gate.ts";
import type { CodePictureTask, CodesTask, CropsTask, DecodeTask, TurnTask, ViewTask } from "./worker.ts";

interface Tasks {
  readonly decode: { readonly task: DecodeTask; readonly result: DecodedFrame | Refusal };
  readonly view: { readonly task: ViewTask; readonly result: ViewTensor };
  readonly crops: { readonly task: CropsTask; readonly result: Uint8Array };
  readonly turn: { readonly task: TurnTask; readonly result: Picture };
  readonly codePicture: { readonly task: CodePictureTask; readonly result: CodePicture };
  readonly codes: { readonly task: CodesTask; readonly result: FoundCode[] };
}

/**
 * The worker threads for all slow work except the networks. A waiting task is dropped if its caller has gone. A running task is
 * allowed to finish, because aborting it would end its thread and lose the codes reader that is loaded there.
 */
export class WorkerPool {
  readonly #pool: Piscina;
  readonly #gate: Gate;

  constructor(options: { threads: number }) {
    this.#pool = new Piscina({
      filename: fileURLToPath(new URL("worker.ts", import.meta.url)),
      minThreads: options.threads,
      maxThreads: options.threads,
      concurrentTasksPerWorker: 1,
    });
    this.#gate = new Gate(options.threads);
  }

  /** Number of tasks that wait for a thread. */
  get waiting(): number {
    return this.#gate.waiting;
  }

  /** Runs one task on a free thread. */
  async run<Name extends keyof Tasks>(
    name: Name,
    task: Tasks[Name]["task"],
    signal: AbortSignal,
  ): Promise<Tasks[Name]["result"]> {
    return this.#gate.hold(
      signal,
      async () => (await this.#pool.run(task, { name })) as Tasks[Name]["result"],
    );
  }

  /** Ends the threads after their tasks. Native code must not lose its thread while it runs. */
  async stop(): Promise<void> {
    await this.#pool.close();
  }
}
