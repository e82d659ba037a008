import { spawn, type ChildProcess } from "node:child_process";
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

/** Runs the installed `ffmpeg` as one process per run, with its files as pipes. */
export class NativeEngine implements VideoEngine {
  async run(run: EngineRun): Promise<EngineReport> {
    throwIfCancelled(run.signal);
    const timeout = AbortSignal.timeout(run.timeoutMs);
    const { child, pipeOf } = startProcess(run);
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
      throwFault({ fault, code, killedBy });
      return { memoryBytes: 0, logLines: [] };
    } finally {
      for (const signal of signals) signal.removeEventListener("abort", onAbort);
    }
  }
}

function throwFault({
  fault,
  code,
  killedBy,
}: {
  fault: Error | undefined;
  code: number | null;
  killedBy: NodeJS.Signals | null;
}): void {
  if (fault !== undefined) throw fault;
  if (killedBy !== null)
    throw new EngineError({ code: "crashed", message: `The engine was ended by ${killedBy}.` });
  if (code !== 0)
    throw new EngineError({ code: "failed", message: `The video engine ended with code ${code}.` });
}

function startProcess({ command, inputs = {}, outputs = {} }: EngineRun): {
  child: ChildProcess;
  pipeOf: (name: string) => unknown;
} {
  const names = [...Object.keys(inputs), ...Object.keys(outputs)];
  const args = argumentsFor(command).map((argument) =>
    argument.replace(
      /^\{(\w+)\}$/,
      (_whole, name: string) => `pipe:${FIRST_DESCRIPTOR + names.indexOf(name)}`,
    ),
  );
  const child = spawn("ffmpeg", ["-nostdin", "-hide_banner", "-loglevel", "error", ...args], {
    stdio: ["ignore", "ignore", "ignore", ...names.map(() => "pipe" as const)],
    // The process decodes untrusted files, so it gets no secrets.
    env: { PATH: process.env["PATH"], LD_LIBRARY_PATH: process.env["LD_LIBRARY_PATH"] },
  });
  return { child, pipeOf: (name) => child.stdio[FIRST_DESCRIPTOR + names.indexOf(name)] };
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
