import { openBodyReader, type BodyReader } from "../../../ground/platform/body-reader.ts";
import { SECOND_MS, nowMs } from "../../../ground/platform/clock.ts";
import type { ApiEnv } from "../../../ground/platform/env.ts";
import { waitAtMost } from "../../../ground/platform/wait-at-most.ts";
import { MultipartError } from "./multipart.ts";

/** How fast a body must arrive. */
export interface Pace {
  /** A body has stalled if nothing arrives for this long. */
  readonly idleTimeoutMs: number;
  /** The bytes that must arrive on average in each window. */
  readonly minBytesPerSecond: number;
  readonly rateWindowMs: number;
  /** Time within which the whole body must arrive. */
  readonly totalTimeoutMs: number;
}

/** How fast a body must arrive, according to the configuration. */
export function uploadPaceOf(
  config: Pick<
    ApiEnv,
    | "UPLOAD_IDLE_TIMEOUT_SECONDS"
    | "UPLOAD_MIN_BYTES_PER_SECOND"
    | "UPLOAD_RATE_WINDOW_SECONDS"
    | "UPLOAD_TIMEOUT_SECONDS"
  >,
): Pace {
  return {
    idleTimeoutMs: config.UPLOAD_IDLE_TIMEOUT_SECONDS * SECOND_MS,
    minBytesPerSecond: config.UPLOAD_MIN_BYTES_PER_SECOND,
    rateWindowMs: config.UPLOAD_RATE_WINDOW_SECONDS * SECOND_MS,
    totalTimeoutMs: config.UPLOAD_TIMEOUT_SECONDS * SECOND_MS,
  };
}

/**
 * The chunks of a request or response body. If the sender disconnects, stalls, sends too slowly or sends more than the limit,
 * this throws a MultipartError. Unread data stays in the body. A chunk is valid until the next one is requested.
 */
export async function* bodyChunks(
  body: ReadableStream<Uint8Array>,
  options: {
    pace: Pace;
    maxBytes: number;
    tooLarge: string;
    /** The subject of error sentences; "The body" by default. */
    subject?: string;
    /** Called before each chunk is yielded. */
    onChunk: () => Promise<void>;
  },
): AsyncGenerator<Uint8Array, void, undefined> {
  const { pace, maxBytes, tooLarge, onChunk, subject = "The body" } = options;
  const reader = openBodyReader(body);
  const watch = new PaceWatch(pace, subject);
  let sizeBytes = 0;
  try {
    for (;;) {
      const next = await watch.read(reader);
      if (next.done) return;
      sizeBytes += next.value.length;
      if (sizeBytes > maxBytes) throw new MultipartError(tooLarge);
      await onChunk();
      yield next.value;
    }
  } finally {
    reader.release();
  }
}

/** Reads a body and enforces its pace. Only time spent waiting for the client counts against its rate. */
class PaceWatch {
  readonly #pace: Pace;
  readonly #deadlineMs: number;
  readonly #subject: string;
  #windowWaitedMs = 0;
  #windowBytes = 0;

  constructor(pace: Pace, subject: string) {
    this.#pace = pace;
    this.#subject = subject;
    this.#deadlineMs = nowMs() + pace.totalTimeoutMs;
  }

  /** Returns the next chunk. @throws MultipartError when it does not arrive in time or chunks arrive too slowly */
  async read(reader: BodyReader): Promise<ReadableStreamReadResult<Uint8Array>> {
    const startedAtMs = nowMs();
    const leftMs = this.#deadlineMs - startedAtMs;
    const { idleTimeoutMs, totalTimeoutMs } = this.#pace;
    const limit =
      leftMs <= idleTimeoutMs
        ? {
            timeoutMs: leftMs,
            fault: `${this.#subject} took longer than ${totalTimeoutMs / SECOND_MS} s to arrive.`,
          }
        : {
            timeoutMs: idleTimeoutMs,
            fault: `${this.#subject} stopped arriving for ${idleTimeoutMs / SECOND_MS} s.`,
          };
    const next = await readWithin(reader, { ...limit, broken: brokenOff(this.#subject) });
    if (!next.done) this.#count(next.value.length, nowMs() - startedAtMs);
    return next;
  }

  #count(chunkBytes: number, waitedMs: number): void {
    this.#windowBytes += chunkBytes;
    this.#windowWaitedMs += waitedMs;
    const { minBytesPerSecond, rateWindowMs } = this.#pace;
    if (this.#windowWaitedMs < rateWindowMs) return;
    if (this.#windowBytes < (minBytesPerSecond * rateWindowMs) / SECOND_MS) {
      const seconds = Math.round(this.#windowWaitedMs / SECOND_MS);
      throw new MultipartError(
        `${this.#subject} arrived too slowly: ${this.#windowBytes} bytes in ${seconds} s; the minimum is ${minBytesPerSecond} bytes per second.`,
      );
    }
    this.#windowBytes = 0;
    this.#windowWaitedMs = 0;
  }
}

async function readWithin(
  reader: BodyReader,
  { timeoutMs, fault: message, broken }: { timeoutMs: number; fault: string; broken: string },
): Promise<ReadableStreamReadResult<Uint8Array>> {
  try {
    const next = await waitAtMost(Math.max(0, timeoutMs), reader.read());
    if (next === undefined) throw new MultipartError(message);
    return next;
  } catch (error) {
    // A pending read would keep the body locked.
    await reader.cancel().catch(() => undefined);
    if (error instanceof MultipartError) throw error;
    throw new MultipartError(broken);
  }
}

function brokenOff(subject: string): string {
  const whole = subject.replace(/^The /, "the whole ");
  return `The connection broke before ${whole} had arrived.`;
}
