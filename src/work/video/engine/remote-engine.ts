import type { EngineService } from "./engine-service.ts";
import { EngineError, type EngineReport, type EngineRun, type VideoEngine } from "./engine.ts";
import {
  CONTROL_CHANNEL,
  controlRecord,
  fileRecords,
  readControl,
  recordHead,
  recordsOf,
  runReportSchema,
  type RunRequest,
} from "./run-stream.ts";

/** Whose frames a run works on, for the inference service's log: a media item and the request of its upload. */
export interface EngineJob {
  readonly id: string;
  readonly requestId: string;
}

/** How much of a file goes at once. */
const PIECE_BYTES = 1024 * 1024;

/**
 * The engine of the inference service. It sends a run's input files as one stream, receives the outputs as another, and stores
 * nothing. A failed transfer can be retried, because a run leaves nothing behind except what its outputs received.
 */
export class RemoteEngine implements VideoEngine {
  readonly isLocal = false;
  readonly #url: string;
  readonly #token: string;
  readonly #job: EngineJob;

  constructor({ url, token }: EngineService, job: EngineJob) {
    this.#url = url;
    this.#token = token;
    this.#job = job;
  }

  async run(run: EngineRun): Promise<EngineReport> {
    const timeout = AbortSignal.timeout(run.timeoutMs);
    const stop = new AbortController();
    const signal = AbortSignal.any([timeout, stop.signal, ...(run.signal === undefined ? [] : [run.signal])]);
    const { readable, writable } = new IdentityTransformStream();
    const inputs = new InputSender(run, writable);
    const sent = inputs.send(signal);
    try {
      const response = await fetch(`${this.#url}/v1/run`, {
        method: "POST",
        headers: {
          authorization: `Bearer ${this.#token}`,
          "content-type": "application/octet-stream",
          "x-request-id": this.#job.requestId,
          "x-media-id": this.#job.id,
        },
        body: readable,
        signal,
      });
      return await readAnswer(response, run);
    } catch (cause) {
      if (inputs.error !== undefined) throw inputs.error;
      if (cause instanceof OutputError) throw cause.fault;
      if (cause instanceof EngineError) throw cause;
      if (run.signal?.aborted === true)
        throw new EngineError({ code: "cancelled", message: "The run was cancelled.", cause });
      const code = timeout.aborted ? "timed_out" : "crashed";
      throw new EngineError({ code, message: "The inference service did not finish the run.", cause });
    } finally {
      stop.abort();
      await sent;
    }
  }
}

/** Sends a run and then its inputs, one after the other. */
class InputSender {
  readonly #run: EngineRun;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  #error: Error | undefined;

  constructor(run: EngineRun, writable: WritableStream<Uint8Array>) {
    this.#run = run;
    this.#writer = writable.getWriter();
  }

  /** The error that an input threw, if any. */
  get error(): Error | undefined {
    return this.#error;
  }

  /** Never throws: the caller's `fetch` reports a broken connection. */
  async send(signal: AbortSignal): Promise<void> {
    const { command, inputs = {}, outputs = {}, timeoutMs } = this.#run;
    const names = Object.keys(inputs);
    const request = { command, inputs: names, outputs: Object.keys(outputs), timeoutMs };
    const onAbort = (): void => {
      this.#writer.abort(signal.reason).catch(() => undefined);
    };
    signal.addEventListener("abort", onAbort, { once: true });
    try {
      await this.#writer.write(
        controlRecord(request satisfies Omit<RunRequest, "inputs"> & { inputs: string[] }),
      );
      for (const [index, input] of Object.values(inputs).entries()) {
        for (;;) {
          const bytes = await this.#read(() => input.read(PIECE_BYTES));
          if (bytes.length === 0) break;
          await this.#writer.write(fileRecords(index + 1, bytes));
        }
        await this.#writer.write(recordHead(index + 1, 0));
      }
      await this.#writer.close();
    } catch (error) {
      await this.#writer.abort(error).catch(() => undefined);
    } finally {
      signal.removeEventListener("abort", onAbort);
    }
  }

  async #read(read: () => Promise<Uint8Array> | Uint8Array): Promise<Uint8Array> {
    try {
      return await read();
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error("An input failed.", { cause: error });
      throw this.#error;
    }
  }
}

/** Holds what an output threw, to distinguish it from connection faults. */
class OutputError extends Error {
  override readonly name = "OutputError";
  readonly fault: Error;

  constructor(fault: unknown) {
    super("An output failed.");
    this.fault = fault instanceof Error ? fault : new Error("An output failed.", { cause: fault });
  }
}

async function readAnswer(response: Response, { outputs = {} }: EngineRun): Promise<EngineReport> {
  if (!response.ok || response.body === null) {
    await response.body?.cancel();
    throw new EngineError({ code: "crashed", message: `The inference service answered ${response.status}.` });
  }
  const files = Object.values(outputs);
  for await (const { channel, bytes, isEnd } of recordsOf(response.body)) {
    if (channel === CONTROL_CHANNEL) {
      const report = readControl(runReportSchema, bytes);
      if ("error" in report)
        throw new EngineError({
          code: report.error,
          message: `The inference service's engine ended: ${report.error}.`,
        });
      return { memoryBytes: report.memoryBytes, logLines: [] };
    }
    if (isEnd) continue;
    try {
      await files[channel - 1]?.write(bytes);
    } catch (cause) {
      throw new OutputError(cause);
    }
  }
  throw new EngineError({ code: "crashed", message: "The inference service broke off." });
}
