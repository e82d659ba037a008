import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import {
  EngineError,
  type EngineInput,
  type EngineOutput,
  type VideoEngine,
} from "../../../src/work/video/engine/engine.ts";
import {
  CONTROL_CHANNEL,
  controlRecord,
  readControl,
  recordHead,
  recordsOf,
  runRequestSchema,
  type RecordPart,
  type RunRequest,
} from "../../../src/work/video/engine/run-stream.ts";
import { invalid } from "../platform/errors.ts";

/** Enough for a segment of a few seconds at a gigabit per second. */
const MOST_SOURCE_BYTES = 512 * 1024 * 1024;
/** The most output that is held back. The encoded form of a segment that is mostly noise may be larger. */
const MOST_WAITING_BYTES = 256 * 1024 * 1024;

/** The destination of a response. */
export interface AnswerSink {
  write(bytes: Uint8Array): Promise<void>;
}

/**
 * Executes the run in a request's body. The compressed source is held as a whole; patches are read as the engine asks for them.
 * The engine's output is sent at once. While the request is still arriving, though, output waits in memory as long as there is
 * room, because not every network path carries both directions at once.
 *
 * @throws ServiceError `validation_failed` if the request is not a valid run
 */
export async function answerRun(
  engine: VideoEngine,
  body: AsyncIterable<Uint8Array>,
  { answer, signal }: { answer: AnswerSink; signal: AbortSignal },
): Promise<void> {
  const records = recordsOf(body)[Symbol.asyncIterator]();
  const request = await readRequest(records);
  const source = await readSource(records);
  const patchesAt = request.inputs.indexOf("patches");
  const patches = patchesAt < 0 ? undefined : new PatchInput(records, patchesAt + 1);
  const held = new HeldAnswer(answer, () => patches?.isEnded === false);
  const outputs: Record<string, EngineOutput> = {};
  for (const [index, name] of request.outputs.entries()) {
    outputs[name] = {
      // As one piece, because outputs are written concurrently.
      write: async (chunk) => {
        await held.write(concatBytes([recordHead(index + 1, chunk.length), chunk]));
      },
    };
  }
  const report =
    source === undefined
      ? { error: "out_of_memory" as const }
      : await engine
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
  await held.write(controlRecord(report));
}

/** Holds a response back as long as it must wait and there is room, and then passes everything on in order. */
class HeldAnswer implements AnswerSink {
  readonly #answer: AnswerSink;
  readonly #isToWait: () => boolean;
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isReleased = false;
  #last: Promise<void> = Promise.resolve();

  constructor(answer: AnswerSink, isToWait: () => boolean) {
    this.#answer = answer;
    this.#isToWait = isToWait;
  }

  /** Writes bytes that the response may keep, in the order of the calls. */
  async write(bytes: Uint8Array): Promise<void> {
    const written = this.#last.then(async () => await this.#writeNext(bytes));
    this.#last = written.catch(() => undefined);
    await written;
  }

  async #writeNext(bytes: Uint8Array): Promise<void> {
    const hasRoom = this.#waitingBytes + bytes.length <= MOST_WAITING_BYTES;
    if (!this.#isReleased && hasRoom && this.#isToWait()) {
      this.#waiting.push(bytes);
      this.#waitingBytes += bytes.length;
      return;
    }
    this.#isReleased = true;
    const early = this.#waiting;
    this.#waiting = [];
    for (const piece of early) await this.#answer.write(piece);
    await this.#answer.write(bytes);
  }
}

type Records = AsyncIterator<RecordPart, void, undefined>;

async function readRequest(records: Records): Promise<RunRequest> {
  const first = await records.next();
  if (first.done === true || first.value.channel !== CONTROL_CHANNEL)
    throw invalid("body", "The body does not begin with a run.");
  try {
    return readControl(runRequestSchema, first.value.bytes);
  } catch {
    throw invalid("body", "The run cannot be read.");
  }
}

/** Reads the first input as a whole, because the engine reads ahead in it while it waits for patches. Undefined if it is too large. */
async function readSource(records: Records): Promise<EngineInput | undefined> {
  const parts: Uint8Array[] = [];
  let sizeBytes = 0;
  for (;;) {
    const next = await records.next();
    if (next.done === true || next.value.channel !== 1) throw invalid("body", "The source breaks off.");
    if (next.value.isEnd) break;
    sizeBytes += next.value.bytes.length;
    if (sizeBytes > MOST_SOURCE_BYTES) parts.length = 0;
    else parts.push(next.value.bytes.slice());
  }
  if (sizeBytes > MOST_SOURCE_BYTES) return undefined;
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
  readonly #channel: number;
  #pending: Uint8Array = new Uint8Array(0);
  #isEnded = false;

  constructor(records: Records, channel: number) {
    this.#records = records;
    this.#channel = channel;
  }

  /** Whether the request has ended. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /**
   * Returns as many bytes as requested while there are more. Records can be short, and each read costs the engine as much time
   * as a long one.
   */
  async read(maxBytes: number): Promise<Uint8Array> {
    const gathered = new Uint8Array(maxBytes);
    let filledBytes = 0;
    while (filledBytes < maxBytes) {
      if (this.#pending.length === 0) await this.#takeRecord();
      if (this.#isEnded) break;
      const piece = this.#pending.subarray(0, maxBytes - filledBytes);
      gathered.set(piece, filledBytes);
      filledBytes += piece.length;
      this.#pending = this.#pending.subarray(piece.length);
    }
    return gathered.subarray(0, filledBytes);
  }

  /** Reads and discards the input that the engine did not need. */
  async skip(): Promise<void> {
    while (!this.#isEnded) await this.#takeRecord();
  }

  async #takeRecord(): Promise<void> {
    if (this.#isEnded) return;
    const next = await this.#records.next();
    if (next.done === true || next.value.channel !== this.#channel)
      throw invalid("body", "The patches break off.");
    if (next.value.isEnd) this.#isEnded = true;
    else this.#pending = next.value.bytes;
  }
}
