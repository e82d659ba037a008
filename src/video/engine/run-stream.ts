import { z } from "zod";
import { concatBytes } from "../../redaction/bytes/bytes.ts";
import { engineCommandSchema } from "./engine-commands.ts";

/**
 * How a run travels to the media service and back: records of a channel, a length and bytes. Channel 0 holds JSON: on the way there the
 * run, which comes first; on the way back how it ended, which comes last. The other channels are the run's files by their number from
 * 1; a record without bytes ends one. A file that comes before another is there whole before that begins. Of a channel's number the
 * highest bit tells a record of zeros, which has no bytes: a patch is mostly that.
 */
export const CONTROL_CHANNEL = 0;
const ZEROS_FLAG = 0x80;
const RECORD_HEAD_BYTES = 5;
/** Zeros are looked for in blocks of so many bytes: fewer would be more records than bytes saved. */
const ZERO_BLOCK_BYTES = 1024;
/** Zeros that a record tells are handed on from here, so many at once. */
const ZEROS = new Uint8Array(64 * 1024);
const MOST_RECORD_BYTES = 64 * 1024 * 1024;
/** JSON is gathered, whoever sends it. */
const MOST_CONTROL_BYTES = 64 * 1024;
/** No run is worth waiting longer for. */
const MOST_TIMEOUT_MS = 60 * 60 * 1000;

/** The command to run, and the names of the files that are sent. */
export const runRequestSchema = z.object({
  command: engineCommandSchema,
  inputs: z.array(z.enum(["source", "patches"])).max(2),
  outputs: z.array(z.string().regex(/^[a-z]{1,20}$/)).max(4),
  timeoutMs: z.int().min(1).max(MOST_TIMEOUT_MS),
});

/** The service's description: the codecs that its engine decodes, by their names in a plan. */
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

/** The records of a piece of a file; runs of zeros are sent as their length. */
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

/** Reads JSON out of a record. @throws when it is none, or not what the schema says */
export function readControl<T>(schema: z.ZodType<T>, bytes: Uint8Array): T {
  return schema.parse(JSON.parse(new TextDecoder().decode(bytes)));
}

/** A record, or a part of a long one. */
export interface RecordPart {
  readonly channel: number;
  readonly bytes: Uint8Array;
  /** Whether the record had no bytes at all. */
  readonly isEnd: boolean;
}

/**
 * Takes records apart as they come. Those of files come in the parts in which they arrive, those of zeros in parts that nobody may
 * change, and JSON as a whole.
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
