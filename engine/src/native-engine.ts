import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { argumentsFor } from "../../src/video/engine/engine-commands.ts";
import {
  EngineError,
  type EngineInput,
  type EngineOutput,
  type EngineReport,
  type EngineRun,
  type VideoEngine,
} from "../../src/video/engine/engine.ts";

const FIRST_DESCRIPTOR = 3;
const PIECE_BYTES = 1024 * 1024;

/** The engine over the `ffmpeg` that is installed: a process for each run, its files as pipes. So many run at once; others wait. */
export class NativeEngine implements VideoEngine {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(parallelRuns: number) {
    this.#free = parallelRuns;
  }

  async run(run: EngineRun): Promise<EngineReport> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await runProcess(run);
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}

async function runProcess({
  command,
  inputs = {},
  outputs = {},
  signal,
  timeoutMs,
}: EngineRun): Promise<EngineReport> {
  if (signal?.aborted === true)
    throw new EngineError({ code: "cancelled", message: "The run was cancelled." });
  const names = [...Object.keys(inputs), ...Object.keys(outputs)];
  const args = argumentsFor(command).map((argument) =>
    argument.replace(
      /^\{(\w+)\}$/,
      (_whole, name: string) => `pipe:${FIRST_DESCRIPTOR + names.indexOf(name)}`,
    ),
  );
  const child = spawn("ffmpeg", ["-nostdin", "-hide_banner", "-loglevel", "error", ...args], {
    stdio: ["ignore", "ignore", "ignore", ...names.map(() => "pipe" as const)],
    timeout: timeoutMs,
    killSignal: "SIGKILL",
    ...(signal && { signal }),
  });
  let fault: Error | undefined;
  const stop = (error: unknown): void => {
    fault ??= error instanceof Error ? error : new Error("A file failed.", { cause: error });
    child.kill("SIGKILL");
  };
  const pipeOf = (name: string): unknown => child.stdio[FIRST_DESCRIPTOR + names.indexOf(name)];
  const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
  const work = [
    ...Object.entries(inputs).map(async ([name, input]) => await feed(input, pipeOf(name) as Writable)),
    ...Object.entries(outputs).map(async ([name, output]) => await drain(output, pipeOf(name) as Readable)),
  ].map(async (task) => await task.catch(stop));
  const [code, killedBy] = await ended.catch((cause: unknown): never => {
    const kind = signal?.aborted === true ? "cancelled" : "crashed";
    throw new EngineError({ code: kind, message: "The engine did not run.", cause });
  });
  await Promise.all(work);
  if (fault !== undefined) throw fault;
  if (killedBy !== null)
    throw new EngineError({ code: "crashed", message: `The engine was ended by ${killedBy}.` });
  if (code !== 0)
    throw new EngineError({ code: "failed", message: `The video engine ended with code ${code}.` });
  return { memoryBytes: 0, logLines: [] };
}

/** Writes an input until it ends, or until the engine has read what it wants. */
async function feed(input: EngineInput, pipe: Writable): Promise<void> {
  const closed = new AbortController();
  pipe.on("error", () => {
    closed.abort();
  });
  pipe.once("close", () => {
    closed.abort();
  });
  for (;;) {
    const bytes = await input.read(PIECE_BYTES);
    if (bytes.length === 0 || closed.signal.aborted) break;
    if (!pipe.write(Uint8Array.from(bytes)))
      await once(pipe, "drain", { signal: closed.signal }).catch(() => undefined);
  }
  pipe.end();
}

async function drain(output: EngineOutput, pipe: Readable): Promise<void> {
  for await (const chunk of pipe) await output.write(chunk as Uint8Array);
}
