import { fileURLToPath } from "node:url";
import { Piscina } from "piscina";
import type { CodePicture, FoundCode } from "../codes/passes.ts";
import type { DecodedFrame, Picture, Refusal } from "../images/decode.ts";
import type { ViewTensor } from "../images/view.ts";
import { Gate } from "../platform/gate.ts";
import type { CropFormat } from "../second-look/crops.ts";
import { isReduced, type Pyramid } from "../second-look/pyramid.ts";
import type { Window } from "../second-look/windows.ts";
import type {
  CodePictureTask,
  CodesTask,
  CropsTask,
  DecodeTask,
  HalveTask,
  TurnTask,
  ViewTask,
} from "./worker.ts";

interface Tasks {
  readonly decode: { readonly task: DecodeTask; readonly result: DecodedFrame | Refusal };
  readonly view: { readonly task: ViewTask; readonly result: ViewTensor };
  readonly halve: { readonly task: HalveTask; readonly result: Pyramid };
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
  /** The pyramid of each picture that large windows were cut from, by its pixels. */
  readonly #pyramids = new WeakMap<SharedArrayBuffer, Promise<Pyramid>>();

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

  /** Cuts windows out of a picture, as `cutCrops` does. The picture is halved once for all calls. */
  async cut(
    picture: Picture,
    { windows, format }: { readonly windows: readonly Window[]; readonly format: CropFormat },
    signal: AbortSignal,
  ): Promise<Uint8Array> {
    const isAnyReduced = windows.some(({ side }) => isReduced(side / format.cropPixels));
    const pyramid: Pyramid = isAnyReduced ? await this.#pyramidOf(picture, signal) : [picture];
    return await this.run("crops", { pyramid, windows, format }, signal);
  }

  async #pyramidOf(picture: Picture, signal: AbortSignal): Promise<Pyramid> {
    const known = this.#pyramids.get(picture.pixels);
    if (known !== undefined) return await known;
    const made = this.run("halve", { picture }, signal);
    this.#pyramids.set(picture.pixels, made);
    return await made;
  }

  /** Ends the threads after their tasks. Native code must not lose its thread while it runs. */
  async stop(): Promise<void> {
    await this.#pool.close();
  }
}
