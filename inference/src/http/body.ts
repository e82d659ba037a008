import { ServiceError } from "../platform/errors.ts";

/** Counts the bytes of all bodies in memory against one limit. */
export class ByteBudget {
  readonly #limit: number;
  #taken = 0;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** Number of bytes in memory. */
  get taken(): number {
    return this.#taken;
  }

  /** Reserves some bytes. Throws `overloaded` if fewer are left. */
  take(bytes: number): void {
    if (this.#taken + bytes > this.#limit) {
      throw new ServiceError({
        code: "overloaded",
        message: "The service holds as many frames as it may. Try again shortly.",
        retryAfterSeconds: 1,
      });
    }
    this.#taken += bytes;
  }

  /** Releases bytes. */
  give(bytes: number): void {
    this.#taken -= bytes;
  }
}

export interface BodyLimits {
  readonly maxBytes: number;
  readonly timeoutSeconds: number;
}

export interface HeldBody {
  /** The body in shared memory, so that worker threads read it without a copy. */
  readonly bytes: Uint8Array;
  /** Returns the bytes to the budget. Call it once. */
  readonly release: () => void;
}

function tooLarge(maxBytes: number): ServiceError {
  const sentence = `The body is larger than the ${maxBytes} bytes that are accepted.`;
  return new ServiceError({ code: "payload_too_large", message: sentence, details: { body: [sentence] } });
}

/**
 * Reads a request's body into memory, within its own limit and the budget of all requests.
 * @throws ServiceError `payload_too_large`, `overloaded`, or `validation_failed` if the body breaks off or takes too long.
 */
export async function readBody(request: Request, limits: BodyLimits, budget: ByteBudget): Promise<HeldBody> {
  const declared = Number(request.headers.get("content-length") ?? Number.NaN);
  if (declared > limits.maxBytes) throw tooLarge(limits.maxBytes);
  let held = 0;
  const hold = (bytes: number): void => {
    budget.take(bytes);
    held += bytes;
  };
  try {
    const collected = new BodyBytes(Number.isInteger(declared) ? declared : limits.maxBytes);
    for await (const chunk of readChunks(request, limits.timeoutSeconds)) {
      const size = collected.size + chunk.byteLength;
      if (size > limits.maxBytes) throw tooLarge(limits.maxBytes);
      // Only bytes that arrive count, because a sender can declare any length for free.
      const roomBytes = collected.roomFor(size);
      if (roomBytes > held) hold(roomBytes - held);
      collected.add(chunk);
    }
    return { bytes: collected.bytes(), release: () => budget.give(held) };
  } catch (error) {
    budget.give(held);
    throw error;
  }
}

/** Bytes in shared memory that doubles as it grows, up to the declared length. */
class BodyBytes {
  readonly #mostBytes: number;
  #bytes = new Uint8Array(new SharedArrayBuffer(0));
  #size = 0;

  get size(): number {
    return this.#size;
  }

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  /** Bytes of memory that `sizeBytes` bytes take. */
  roomFor(sizeBytes: number): number {
    const roomBytes = this.#bytes.byteLength;
    return sizeBytes <= roomBytes ? roomBytes : Math.max(sizeBytes, Math.min(2 * roomBytes, this.#mostBytes));
  }

  #reserve(capacity: number): void {
    const grown = new Uint8Array(new SharedArrayBuffer(capacity));
    grown.set(this.bytes());
    this.#bytes = grown;
  }

  add(chunk: Uint8Array): void {
    const needed = this.#size + chunk.byteLength;
    if (needed > this.#bytes.byteLength) this.#reserve(this.roomFor(needed));
    this.#bytes.set(chunk, this.#size);
    this.#size = needed;
  }

  bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#size);
  }
}

/** Least average speed of a sender after the first seconds. A slower sender holds a place that others wait for. */
const LEAST_BYTES_PER_SECOND = 16 * 1024;
const GRACE_SECONDS = 10;

async function* readChunks(request: Request, timeoutSeconds: number): AsyncGenerator<Uint8Array> {
  if (request.body === null) return;
  const reader = request.body.getReader();
  const late = Symbol("late");
  const { promise: timeout, resolve } = Promise.withResolvers<typeof late>();
  const timer = setTimeout(() => resolve(late), timeoutSeconds * 1000);
  const startedMs = performance.now();
  let arrivedBytes = 0;
  const pace = setInterval(() => {
    const seconds = (performance.now() - startedMs) / 1000 - GRACE_SECONDS;
    if (arrivedBytes < seconds * LEAST_BYTES_PER_SECOND) resolve(late);
  }, 1000);
  try {
    for (;;) {
      const next = await Promise.race([reader.read(), timeout]);
      if (next === late) {
        throw brokenOff(
          `The body did not arrive within ${timeoutSeconds} seconds, or arrived at less than ${LEAST_BYTES_PER_SECOND} bytes a second.`,
        );
      }
      if (next.done) return;
      const chunk = next.value as Uint8Array;
      arrivedBytes += chunk.byteLength;
      yield chunk;
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    throw brokenOff("The body broke off before its end.");
  } finally {
    clearTimeout(timer);
    clearInterval(pace);
    reader.cancel().catch(() => undefined);
  }
}

function brokenOff(sentence: string): ServiceError {
  return new ServiceError({ code: "validation_failed", message: sentence, details: { body: [sentence] } });
}
