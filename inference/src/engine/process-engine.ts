import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { constants, setPriority } from "node:os";
import type { Readable, Writable } from "node:stream";
import {
  EngineError,
  type EngineInput,
  type EngineOutput,
  type EngineReport,
  type EngineRun,
  type VideoEngine,
} from "../../../src/work/video/engine/engine.ts";
import { FIRST_DESCRIPTOR, type EngineProgram } from "./programs.ts";

const PIECE_BYTES = 1024 * 1024;

/** Runs a program as one process per run, with its files as pipes. */
export class ProcessEngine implements VideoEngine {
  readonly isLocal = true;
  readonly #program: EngineProgram;

  constructor(program: EngineProgram) {
    this.#program = program;
  }

  async run(run: EngineRun): Promise<EngineReport> {
    throwIfCancelled(run.signal);
    const timeout = AbortSignal.timeout(run.timeoutMs);
    const { child, pipeOf } = startProcess(this.#program, run);
    let fault: Error | undefined;
    const stop = (error: unknown): void => {
      fault ??= error instanceof Error ? error : new Error("A file failed.", { cause: error });
      child.kill("SIGKILL");
      // Unread data in the pipes would delay the end of the process.
      for (const pipe of child.stdio) pipe?.destroy();
    };
    const onAbort = (): void => {
      const [code, message] = timeout.aborted
        ? (["timed_out", `The video engine was not done within ${run.timeoutMs / 1000} s.`] as const)
        : (["cancelled", "The run was cancelled."] as const);
      stop(new EngineError({ code, message }));
    };
    const signals = [timeout, ...(run.signal === undefined ? [] : [run.signal])];
    for (const signal of signals) signal.addEventListener("abort", onAbort);
    const ended = once(child, "close") as Promise<[number | null, NodeJS.Signals | null]>;
    const work = [
      ...Object.entries(run.inputs ?? {}).map(
        async ([name, input]) => await feed(input, pipeOf(name) as Writable),
      ),
      ...Object.entries(run.outputs ?? {}).map(
        async ([name, output]) => await drain(output, pipeOf(name) as Readable),
      ),
    ].map(async (task) => await task.catch(stop));
    try {
      const [code, killedBy] = await ended.catch((cause: unknown): never => {
        throw new EngineError({ code: "crashed", message: "The engine did not run.", cause });
      });
      // Inputs that nobody reads anymore may never end.
      if (fault === undefined) await Promise.all(work);
      throwFault(this.#program, { fault, code, killedBy });
      return { memoryBytes: 0, logLines: [] };
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    }
  }
}

interface Ending {
  readonly fault: Error | undefined;
  readonly code: number | null;
  readonly killedBy: NodeJS.Signals | null;
}

function throwFault(program: EngineProgram, { fault, code, killedBy }: Ending): void {
  if (fault !== undefined) throw fault;
  if (killedBy !== null)
    throw new EngineError({ code: "crashed", message: `The engine was ended by ${killedBy}.` });
  if (code !== null && code !== 0)
    throw new EngineError({
      code: program.errorCodeOf(code),
      message: `The video engine ended with code ${code}.`,
    });
}

function startProcess(
  program: EngineProgram,
  { command, inputs = {}, outputs = {} }: EngineRun,
): { child: ChildProcess; pipeOf: (name: string) => unknown } {
  const files = { inputs: Object.keys(inputs), outputs: Object.keys(outputs) };
  const names = [...files.inputs, ...files.outputs];
  const child = spawn(program.executable, program.argumentsFor(command, files), {
    stdio: ["ignore", "ignore", "ignore", ...names.map(() => "pipe" as const)],
    // The process decodes untrusted files, so it gets no secrets.
    env: { PATH: process.env["PATH"], LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"] },
  });
  leaveProcessorsToDetections(child);
  return { child, pipeOf: (name) => child.stdio[FIRST_DESCRIPTOR + names.indexOf(name)] };
}

/** Lowers a process's priority, so that a detection request, for which somebody waits, gets the processors first. */
function leaveProcessorsToDetections({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}

function throwIfCancelled(signal: AbortSignal | undefined): void {
  if (signal?.aborted !== true) return;
  throw new EngineError({ code: "cancelled", message: "The run was cancelled.", cause: signal.reason });
}

/** Writes an input until it ends or the engine stops reading. */
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
