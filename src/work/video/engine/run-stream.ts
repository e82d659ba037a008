import { z } from "zod";
import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { engineCommandSchema } from "./engine-commands.ts";

/**
 * The format in which a run travels to the inference service and back: records of a channel, a length, and bytes. Channel 0 holds
 * JSON. The request has the run as its first record; the response has the result as its last. The other channels are the run's
 * files, numbered from 1. A record without bytes ends a file, and each file is sent completely before the next one. A channel
 * number with its highest bit set marks a record of zeros, which has a length but no bytes: patches are mostly zeros.
 */
export const CONTROL_CHANNEL = 0;
const ZEROS_FLAG = 0x80;
const RECORD_HEAD_BYTES = 5;
/** Zeros are detected in blocks of this size. With smaller blocks, the extra records would cost more bytes than they save. */
const ZERO_BLOCK_BYTES = 1024;
/** Reused to pass on the zeros of a record, at most this many at once. */
const ZEROS = new Uint8Array(64 * 1024);
const MOST_RECORD_BYTES = 64 * 1024 * 1024;
/** A JSON record is buffered as a whole, so its size is limited. */
const MOST_CONTROL_BYTES = 64 * 1024;
/** The longest time limit that a run may ask for. */
const MOST_TIMEOUT_MS = 60 * 60 * 1000;

/** The command to run and the names of its files. */
export const runRequestSchema = z.object({
  command: engineCommandSchema,
  inputs: z.array(z.enum(["source", "patches"])).max(2),
  outputs: z.array(z.string().regex(/^[a-z]{1,20}$/)).max(4),
  timeoutMs: z.int().min(1).max(MOST_TIMEOUT_MS),
});

/** What the service can do: the codecs that its engine decodes, named as in a plan. */
export const abilitiesSchema = z.object({ codecs: z.array(z.string().max(40)).max(100) });

export type Abilities = z.output<typeof abilitiesSchema>;

/** How a run ended. */
export const runReportSchema = z.union([
  z.object({ memoryBytes: z.int().min(0) }),
  z.object({
    error: z.enum(["failed", "crashed", "cancelled", "timed_out", "out_of_memory", "unsupported_runtime"]),
  }),
]);

export type RunRequest = z.output<typeof runRequestSchema>;

/** The header of a record. */
export function recordHead(channel: number, sizeBytes: number): Uint8Array<ArrayBuffer> {
  const head = new Uint8Array(RECORD_HEAD_BYTES);
  head[0] = channel;
  new DataView(head.buffer).setUint32(1, sizeBytes);
  return head;
}

/** The records of a part of a file. A run of zeros is sent as its length. */
export function fileRecords(channel: number, bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length;) {
    const isZero = isZeroBlock(bytes, at);
    let end = at + ZERO_BLOCK_BYTES;
    while (end < bytes.length && isZeroBlock(bytes, end) === isZero) end += ZERO_BLOCK_BYTES;
    const run = bytes.subarray(at, end);
    parts.push(recordHead(isZero ? channel | ZEROS_FLAG : channel, run.length));
    if (!isZero) parts.push(run);
    at = end;
  }
  return concatBytes(parts);
}

function* zeros(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= ZEROS.length) yield ZEROS.subarray(0, left);
}

function isZeroBlock(bytes: Uint8Array, at: number): boolean {
  const end = Math.min(bytes.length, at + ZERO_BLOCK_BYTES);
  for (let place = at; place < end; place++) if (bytes[place] !== 0) return false;
  return true;
}

/** A record of JSON. */
export function controlRecord(value: unknown): Uint8Array {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return concatBytes([recordHead(CONTROL_CHANNEL, bytes.length), bytes]);
}

/** Reads JSON from a record. @throws when it is not JSON or does not match the schema */
export function readControl<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** A record, or a part of a long one. */
export interface RecordPart {
  readonly channel: number;
  readonly bytes: Uint8Array;
  /** Whether the record had no bytes, which ends a file. */
  readonly isEnd: boolean;
}

/**
 * Splits a stream into records as it arrives. Records of files come in the parts in which they arrive. Records of zeros come in
 * parts that nobody may modify. JSON comes as a whole.
 */
export async function* recordsOf(
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<RecordPart, void, undefined> {
  let head = new Uint8Array(0) as Uint8Array;
  let channel = CONTROL_CHANNEL;
  let leftBytes = 0;
  let gathered: Uint8Array[] = [];
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length;) {
      if (leftBytes === 0) {
        const taken = chunk.subarray(at, at + RECORD_HEAD_BYTES - head.length);
        head = concatBytes([head, taken]);
        at += taken.length;
        if (head.length < RECORD_HEAD_BYTES) break;
        channel = (head[0] ?? CONTROL_CHANNEL) & ~ZEROS_FLAG;
        const areZeros = channel !== head[0];
        leftBytes = new DataView(head.buffer, head.byteOffset).getUint32(1);
        head = new Uint8Array(0);
        const mostBytes = channel === CONTROL_CHANNEL ? MOST_CONTROL_BYTES : MOST_RECORD_BYTES;
        if (leftBytes > mostBytes) throw new RangeError("A record is too long.");
        if (leftBytes === 0) yield { channel, bytes: new Uint8Array(0), isEnd: true };
        if (areZeros) {
          for (const bytes of zeros(leftBytes)) yield { channel, bytes, isEnd: false };
          leftBytes = 0;
        }
        continue;
      }
      const part = chunk.subarray(at, at + leftBytes);
      at += part.length;
      leftBytes -= part.length;
      if (channel !== CONTROL_CHANNEL) yield { channel, bytes: part, isEnd: false };
      else {
        gathered.push(part.slice());
        if (leftBytes > 0) continue;
        yield { channel, bytes: concatBytes(gathered), isEnd: false };
        gathered = [];
      }
    }
  }
  if (leftBytes > 0 || head.length > 0) throw new RangeError("The records break off.");
}
