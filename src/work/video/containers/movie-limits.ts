import { boxesOf, findBox, readBoxHead, viewOf, type ContainerBox } from "./boxes.ts";
import type { RangeReader } from "./stored-ranges.ts";
import { ReadWindow } from "./read-window.ts";
import { ContainerError } from "./track-packets.ts";

/** Headers are held in memory, and their tables become objects. The header of an hour of video is a third of this. */
const MOST_HEADER_BYTES = 16 * 1024 * 1024;
const MOST_FRAGMENT_BYTES = 4 * 1024 * 1024;
/** One hour of video has at most 216,000 samples. One hour of Opus in its shortest packets has 1.4 million. */
const MOST_SAMPLES = 2_000_000;
const MOST_SAMPLES_A_RUN = 100_000;
/** About twenty seconds of work. */
const MOST_STEPS = 2e10;
const MOST_TOP_BOXES = 100_000;
const WINDOW_BYTES = 1024 * 1024;
const BOX_HEAD_BYTES = 16;
/** The box at a file's end that declares the size of the index before it, this box included. */
const INDEX_END_BYTES = 16;
const TFRA_HEAD_BYTES = 16;

/**
 * Checks that the tables of an MP4 or QuickTime file declare no more samples than a reader can hold. A table of a few bytes can
 * declare billions of samples (ISO/IEC 14496-12 §8.6.1, §8.8.8), which mediabunny would list one by one.
 *
 * @returns the largest number of distinct sample descriptions in a track
 * @throws ContainerError
 */
export async function checkMovieTables(read: RangeReader, sizeBytes: number): Promise<number> {
  const window = new ReadWindow(read, sizeBytes, WINDOW_BYTES);
  let isFragmented = true;
  let descriptions = 1;
  let topBoxes = 0;
  for (let at = 0; at + 8 <= sizeBytes && isFragmented;) {
    const head = readBoxHead(await window.at(at, BOX_HEAD_BYTES));
    const boxBytes = head.sizeBytes === 0 ? sizeBytes - at : head.sizeBytes;
    if (boxBytes < head.headBytes || ++topBoxes > MOST_TOP_BOXES)
      throw new ContainerError("Its boxes are malformed.");
    if (head.type === "moov" || head.type === "moof") {
      const most = head.type === "moov" ? MOST_HEADER_BYTES : MOST_FRAGMENT_BYTES;
      if (boxBytes > most) throw new ContainerError("A header is too large.");
      const content = (await window.at(at, boxBytes)).subarray(head.headBytes);
      if (head.type === "moof") checkFragment(content);
      else {
        const boxes = boxesOf(content);
        const tracks = boxes.filter(({ type }) => type === "trak");
        descriptions = Math.max(1, ...tracks.map((track) => checkTrack(track.content)));
        isFragmented = boxes.some(({ type }) => type === "mvex");
        if (isFragmented) window.expect(await fragmentsToCome(read, sizeBytes));
      }
    }
    at += boxBytes;
  }
  return descriptions;
}

/** Sample entry types of uncompressed audio, where a sample is one value per channel. Readers take such samples by the chunk. */
const UNCOMPRESSED = /^(?:sowt|twos|lpcm|in24|in32|fl32|fl64|raw |NONE|ulaw|alaw|ipcm|fpcm)$/;

/** Returns the number of distinct sample descriptions of a track. */
function checkTrack(trak: Uint8Array): number {
  const tables = boxesOf(findBox(trak, "mdia", "minf", "stbl")?.content ?? new Uint8Array(0));
  const table = (wanted: string): ContainerBox | undefined => tables.find(({ type }) => type === wanted);
  const descriptions = boxesOf(table("stsd")?.content.subarray(8) ?? new Uint8Array(0));
  const offsets = entriesOf(table("ctts"), 8);
  const isUncompressed = UNCOMPRESSED.test(descriptions[0]?.type ?? "") && offsets.length === 0;
  if (!isUncompressed) {
    for (const entries of [entriesOf(table("stts"), 8), offsets]) {
      if (sum(entries.map((at) => at.getUint32(0))) > MOST_SAMPLES) {
        throw new ContainerError("There are more samples than any video has.");
      }
    }
  }
  const chunks = countOf(table("stco")) + countOf(table("co64"));
  const steps = checkChunks(entriesOf(table("stsc"), 12), chunks);
  if (!isUncompressed && steps > MOST_STEPS) throw new ContainerError("Chunks have too many samples.");
  return new Set(descriptions.map(({ bytes }) => bytes.join())).size;
}

/** Returns how many samples a reader visits if it walks a sample's whole chunk for each sample, as mediabunny does. */
function checkChunks(entries: readonly DataView[], chunks: number): number {
  let steps = 0;
  for (const [index, view] of entries.entries()) {
    const first = view.getUint32(0);
    const next = entries[index + 1]?.getUint32(0) ?? Math.max(first, chunks) + 1;
    if (first === 0 || next <= first || next > chunks + 1 + Number(chunks === 0)) {
      throw new ContainerError("Chunks are out of order.");
    }
    steps += (next - first) * view.getUint32(4) ** 2;
  }
  return steps;
}

function countOf(table: ContainerBox | undefined): number {
  return table === undefined || table.content.length < 8 ? 0 : viewOf(table.content).getUint32(4);
}

/** The entries of a table after its count. @throws ContainerError when the table is shorter than it declares */
function entriesOf(table: ContainerBox | undefined, entryBytes: number): DataView[] {
  const count = countOf(table);
  if (table === undefined || count === 0) return [];
  if (8 + count * entryBytes > table.content.length) throw new ContainerError("A table is cut off.");
  return Array.from({ length: count }, (_, index) =>
    viewOf(table.content.subarray(8 + index * entryBytes, 8 + (index + 1) * entryBytes)),
  );
}

/** The positions of fragments according to the index at a file's end (ISO/IEC 14496-12 §8.8.9 to §8.8.11). Empty if it has no index. */
async function fragmentsToCome(read: RangeReader, sizeBytes: number): Promise<number[]> {
  if (sizeBytes < INDEX_END_BYTES) return [];
  const end = await read(sizeBytes - INDEX_END_BYTES, sizeBytes);
  const indexBytes = viewOf(end).getUint32(INDEX_END_BYTES - 4);
  const isIndexed =
    readBoxHead(end).type === "mfro" && indexBytes <= Math.min(sizeBytes, MOST_FRAGMENT_BYTES);
  if (!isIndexed) return [];
  const mfra = findBox(await read(sizeBytes - indexBytes, sizeBytes), "mfra");
  return boxesOf(mfra?.content ?? new Uint8Array(0)).flatMap(({ type, content }) =>
    type === "tfra" ? fragmentsIn(content) : [],
  );
}

/** The positions of a track's fragments. Empty if their table is malformed. */
function fragmentsIn(tfra: Uint8Array): number[] {
  if (tfra.length < TFRA_HEAD_BYTES) return [];
  const view = viewOf(tfra);
  const wideBytes = view.getUint8(0) === 1 ? 8 : 4;
  const lengths = view.getUint32(8);
  const numberBytes = ((lengths >> 4) & 3) + ((lengths >> 2) & 3) + (lengths & 3) + 3;
  const entryBytes = 2 * wideBytes + numberBytes;
  const count = view.getUint32(12);
  if (TFRA_HEAD_BYTES + count * entryBytes > tfra.length) return [];
  return Array.from({ length: count }, (_, index) => {
    const at = TFRA_HEAD_BYTES + index * entryBytes + wideBytes;
    return wideBytes === 8 ? Number(view.getBigUint64(at)) : view.getUint32(at);
  });
}

function checkFragment(moof: Uint8Array): void {
  for (const traf of boxesOf(moof).filter(({ type }) => type === "traf")) {
    for (const trun of boxesOf(traf.content).filter(({ type }) => type === "trun")) {
      if (countOf(trun) > MOST_SAMPLES_A_RUN) throw new ContainerError("A run has too many samples.");
    }
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
