import { MINUTE_MS, SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import { delay } from "../../../ground/platform/retry.ts";
import { FIRST_DESCRIPTOR, startCore, type Core, type CoreFiles } from "./core.ts";
import { argumentsFor } from "./engine-commands.ts";
import {
  EngineError,
  type EngineInput,
  type EngineOutput,
  type EngineReport,
  type EngineRun,
  type VideoEngine,
} from "./engine.ts";

/** How many of a run's last log lines are kept. */
const KEPT_LINES = 40;
/** The most runs that share one core, because each run leaks a little memory. */
const RUNS_A_CORE = 64;

/**
 * A run reads or writes many times a second. If it is silent for this long, its invocation has ended, and its promise never settles.
 * A storage read takes less time, even with all its retries.
 */
const MOST_SILENCE_MS = MINUTE_MS;
const LOOK_MS = SECOND_MS;
/**
 * A run pauses after this many reads and writes, so that the isolate can do its other work. A Worker's clock advances only during such
 * pauses. The shortest pause takes 1.1 ms in workerd, about as long as the work between two calls. Writes that fill the core's buffer
 * do not count, because they are parts of one frame and follow each other immediately.
 */
const CALLS_A_PAUSE = 8;
/** The largest write of the core (ffmpeg's IO_BUFFER_SIZE). */
const CORE_BUFFER_BYTES = 32 * 1024;

/** How large a core's memory may become. */
export interface CoreMemory {
  readonly mostBytes: number;
  /** A core that has grown beyond this is not reused, so that the next run begins with little memory. */
  readonly reuseBelowBytes: number;
}

/** Runs `@ffmpeg/core`, one run at a time. A core is reused for the next run if the last run succeeded. */
export class WasmEngine implements VideoEngine {
  readonly isLocal = true;
  readonly #wasm: WebAssembly.Module;
  readonly #memory: CoreMemory;
  #core: Core | undefined;
  #runs = 0;
  #last: Promise<unknown> = Promise.resolve();
  /** When the current run last read or wrote. */
  #activeAtMs = 0;

  /** @param wasm the compiled core */
  constructor(wasm: WebAssembly.Module, memory: CoreMemory) {
    this.#wasm = wasm;
    this.#memory = memory;
  }

  async run(run: EngineRun): Promise<EngineReport> {
    const turn = this.#afterLast(this.#last).then(async () => await this.#runAlone(run));
    this.#last = turn.catch(() => undefined);
    return await turn;
  }

  /** Waits until the last run is over, or until it has been silent for so long that its invocation must have ended. */
  async #afterLast(last: Promise<unknown>): Promise<void> {
    const over = last.then(() => true);
    const look = async (): Promise<boolean> => {
      await delay(LOOK_MS);
      return nowMs() - this.#activeAtMs > MOST_SILENCE_MS;
    };
    while (!(await Promise.race([over, look()])));
  }

  async #runAlone(run: EngineRun): Promise<EngineReport> {
    throwIfCancelled(run.signal);
    const isFresh = this.#core === undefined;
    const core = this.#core ?? (await startCore(this.#wasm, this.#memory.mostBytes));
    this.#core = undefined;
    this.#runs += 1;
    this.#activeAtMs = nowMs();
    const files = new RunFiles(run, () => {
      this.#activeAtMs = nowMs();
    });
    const logLines: string[] = [];
    const args = argumentsFor(run.command).map((argument) => files.resolve(argument));
    const code = await this.#runCore(core, { args, files, logLines }).catch((error: unknown) => {
      throw this.#lackOf(core, isFresh) ?? error;
    });
    const lack = this.#lackOf(core, isFresh);
    if (lack !== undefined) throw lack;
    if (code !== 0) {
      throw new EngineError({
        code: "failed",
        message: `The video engine ended with code ${code}.`,
        logLines,
      });
    }
    if (core.memoryBytes < this.#memory.reuseBelowBytes && this.#runs < RUNS_A_CORE) this.#core = core;
    else this.#runs = 0;
    return { memoryBytes: core.memoryBytes, logLines };
  }

  /** The error of a run whose core ran out of memory. If earlier runs had used the core, another attempt on a fresh core may succeed. */
  #lackOf(core: Core, isFresh: boolean): EngineError | undefined {
    if (!core.isOutOfMemory) return undefined;
    return new EngineError({
      code: isFresh ? "out_of_memory" : "crashed",
      message: `The video engine needs more than ${this.#memory.mostBytes / 1e6} MB.`,
    });
  }

  async #runCore(
    core: Core,
    { args, files, logLines }: { args: readonly string[]; files: RunFiles; logLines: string[] },
  ): Promise<number> {
    const keep = (line: string): void => {
      logLines.push(line);
      if (logLines.length > KEPT_LINES) logLines.shift();
    };
    let code: number;
    try {
      code = await core.run(args, files, keep);
    } catch (cause) {
      const why = cause instanceof Error ? `${cause.name}: ${cause.message}` : "no reason given";
      throw (
        files.error ??
        new EngineError({ code: "crashed", message: `The video engine crashed: ${why}`, logLines, cause })
      );
    }
    if (files.error !== undefined) throw files.error;
    return code;
  }
}

/** The files of one run by descriptor. After a fault, every further call fails, so that the core ends. */
class RunFiles implements CoreFiles {
  readonly #descriptors = new Map<string, number>();
  readonly #inputs = new Map<number, EngineInput>();
  readonly #outputs = new Map<number, EngineOutput>();
  readonly #signal: AbortSignal | undefined;
  readonly #timeoutMs: number;
  readonly #endsAtMs: number;
  readonly #onCall: () => void;
  #calls = 0;
  #thrown: Error | undefined;

  constructor({ inputs = {}, outputs = {}, signal, timeoutMs }: EngineRun, onCall: () => void) {
    this.#onCall = onCall;
    this.#signal = signal;
    this.#timeoutMs = timeoutMs;
    this.#endsAtMs = nowMs() + timeoutMs;
    let next = FIRST_DESCRIPTOR;
    for (const [name, input] of Object.entries(inputs)) {
      this.#descriptors.set(name, next);
      this.#inputs.set(next++, input);
    }
    for (const [name, output] of Object.entries(outputs)) {
      this.#descriptors.set(name, next);
      this.#outputs.set(next++, output);
    }
  }

  /** The error that ended the run, if a file or the signal did. */
  get error(): Error | undefined {
    return this.#thrown;
  }

  resolve(argument: string): string {
    return argument.replace(/^\{(\w+)\}$/, (_whole, name: string) => {
      const descriptor = this.#descriptors.get(name);
      if (descriptor === undefined) throw new Error(`The run has no file ${name}.`);
      return `pipe:${descriptor}`;
    });
  }

  async read(descriptor: number, target: () => Uint8Array): Promise<number> {
    await this.#pause();
    return await this.#attempt(async () => {
      const bytes = await this.#inputs.get(descriptor)?.read(target().length);
      if (bytes === undefined) throw new Error("The engine read from a file that does not exist.");
      target().set(bytes);
      return bytes.length;
    });
  }

  async write(descriptor: number, source: () => Uint8Array): Promise<number> {
    if (source().length < CORE_BUFFER_BYTES) await this.#pause();
    return await this.#attempt(async () => {
      const output = this.#outputs.get(descriptor);
      if (output === undefined) throw new Error("The engine wrote to a file that does not exist.");
      await output.write(source());
      return source().length;
    });
  }

  async #pause(): Promise<void> {
    if (this.#calls++ % CALLS_A_PAUSE === 0) await delay(0);
  }

  async #attempt(call: () => Promise<number>): Promise<number> {
    try {
      if (this.#thrown !== undefined) throw this.#thrown;
      this.#onCall();
      throwIfCancelled(this.#signal);
      if (nowMs() > this.#endsAtMs) {
        throw new EngineError({
          code: "timed_out",
          message: `The video engine was not done within ${this.#timeoutMs / 1000} s.`,
        });
      }
      return await call();
    } catch (error) {
      this.#thrown ??= error instanceof Error ? error : new Error("A file failed.", { cause: error });
      throw this.#thrown;
    }
  }
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new EngineError({ code: "cancelled", message: "The run was cancelled.", cause: signal.reason });
}
