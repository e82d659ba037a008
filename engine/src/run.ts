import {
  EngineError,
  type EngineInput,
  type EngineOutput,
  type VideoEngine,
} from "../../src/video/engine/engine.ts";
import {
  CONTROL_CHANNEL,
  controlRecord,
  readControl,
  recordHead,
  recordsOf,
  runRequestSchema,
  type RecordPart,
  type RunRequest,
} from "../../src/video/engine/run-stream.ts";

/** A segment of a few seconds; packets of 16 MB a frame are the most that a Worker sends. */
const MOST_SOURCE_BYTES = 512 * 1024 * 1024;

/** Why a request is not a run. */
export class RequestError extends Error {
  override readonly name = "RequestError";
}

/** Where an answer goes. */
export interface AnswerSink {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Runs what a request's body holds. The compressed source is held as a whole; patches are taken as the engine asks for them. What
 * the engine makes is written at once, but while the request is still coming, when it waits in memory: not every way there carries both
 * directions at once.
 *
 * @throws RequestError before anything is written
 */
export async function answerRun(
  engine: VideoEngine,
  body: AsyncIterable<Uint8Array>,
  { answer, signal }: { answer: AnswerSink; signal: AbortSignal },
): Promise<void> {
  const records = recordsOf(body)[Symbol.asyncIterator]();
  const request = await readRequest(records);
  const source = await readSource(records);
  const patches = request.inputs.includes("patches") ? new PatchInput(records) : undefined;
  const waiting: Uint8Array[] = [];
  const send = async (bytes: Uint8Array): Promise<void> => {
    if (patches?.isEnded === false) waiting.push(bytes.slice());
    else {
      for (const early of waiting.splice(0)) await answer.write(early);
      await answer.write(bytes);
    }
  };
  const outputs: Record<string, EngineOutput> = {};
  for (const [index, name] of request.outputs.entries()) {
    outputs[name] = {
      write: async (chunk) => {
        await send(recordHead(index + 1, chunk.length));
        await send(chunk);
      },
    };
  }
  const report = await engine
    .run({
      command: request.command,
      inputs: { source, ...(patches && { patches }) },
      outputs,
      signal,
      timeoutMs: request.timeoutMs,
    })
    .then(
      ({ memoryBytes }) => ({ memoryBytes }),
      (error: unknown) => ({ error: error instanceof EngineError ? error.code : ("crashed" as const) }),
    );
  await patches?.skip();
  await send(controlRecord(report));
}

type Records = AsyncIterator<RecordPart, void, undefined>;

async function readRequest(records: Records): Promise<RunRequest> {
  const first = await records.next();
  if (first.done === true || first.value.channel !== CONTROL_CHANNEL)
    throw new RequestError("The body does not begin with a run.");
  try {
    return readControl(runRequestSchema, first.value.bytes);
  } catch (cause) {
    throw new RequestError("The run cannot be read.", { cause });
  }
}

/** The first input as a whole: the engine reads ahead in it while it waits for patches. */
async function readSource(records: Records): Promise<EngineInput> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for (;;) {
    const next = await records.next();
    if (next.done === true || next.value.channel !== 1) throw new RequestError("The source breaks off.");
    if (next.value.isEnd) break;
    sizeBytes += next.value.bytes.length;
    if (sizeBytes > MOST_SOURCE_BYTES)
      throw new RequestError(`The source has more than ${MOST_SOURCE_BYTES} bytes.`);
    parts.push(next.value.bytes.slice());
  }
  return {
    read(maxBytes) {
      const [first = new Uint8Array(0)] = parts;
      if (first.length <= maxBytes) parts.shift();
      else parts[0] = first.subarray(maxBytes);
      return first.subarray(0, maxBytes);
    },
  };
}

class PatchInput implements EngineInput {
  readonly #records: Records;
  #pending: Uint8Array = new Uint8Array(0);
  #isEnded = false;

  constructor(records: Records) {
    this.#records = records;
  }

  /** Whether the request has come to its end. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  async read(maxBytes: number): Promise<Uint8Array> {
    while (this.#pending.length === 0 && !this.#isEnded) {
      const next = await this.#records.next();
      if (next.done === true || next.value.isEnd) this.#isEnded = true;
      else this.#pending = next.value.bytes;
    }
    const piece = this.#pending.subarray(0, maxBytes);
    this.#pending = this.#pending.subarray(piece.length);
    return piece;
  }

  /** Takes what the engine had no need of. */
  async skip(): Promise<void> {
    while (!this.#isEnded) {
      this.#pending = new Uint8Array(0);
      await this.read(1);
    }
  }
}
