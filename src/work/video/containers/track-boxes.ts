import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { bounded } from "./bounded-numbers.ts";
import { boxesOf, findBox, fullBox, u16, u32, u64, viewOf } from "./boxes.ts";
import type { TrackHeader } from "./movie-header.ts";

const MATRIX_NUMBERS = 9;
const POINT = 0x10000;
const UPRIGHT = u32(POINT, 0, 0, 0, POINT, 0, 0, 0, 0x40000000);
/** The largest factor by which a matrix may scale the picture. */
const MOST_SCALE = 64;

/** Rewrites a header's matrix (ISO/IEC 14496-12 §8.3.2) with offsets in whole pixels. An invalid matrix becomes the identity. */
export function rewrittenMatrix(source: Uint8Array): Uint8Array {
  if (source.length < MATRIX_NUMBERS * 4) return UPRIGHT;
  const view = viewOf(source);
  const [a = 0, b = 0, , c = 0, d = 0, , x = 0, y = 0] = Array.from({ length: MATRIX_NUMBERS }, (_, index) =>
    view.getInt32(index * 4),
  );
  if ([a, b, c, d].some((value) => Math.abs(value) > MOST_SCALE * POINT)) return UPRIGHT;
  return u32(a, b, 0, c, d, 0, inWholePixels(x), inWholePixels(y), 0x40000000);
}

function inWholePixels(value: number): number {
  return Math.round(value / POINT) * POINT;
}

const FLAGS = 0xf;
const MOST_GROUP = 255;
const FULL_VOLUME = 0x100;
const MOST_SIDE_PIXELS = 16_384;
const MOST_SIDE = MOST_SIDE_PIXELS * POINT;

/**
 * Rewrites the source's track header without its creation and modification times. It keeps flags, alternate group, volume,
 * matrix and size.
 */
export function trackHeader({ tkhd, id }: TrackHeader, duration: number): Uint8Array {
  const fields = tkhd.subarray(tkhd[0] === 1 ? 36 : 24);
  const view = viewOf(fields);
  const flags = viewOf(tkhd).getUint32(0) & FLAGS;
  const group = bounded(view.getUint16(10), MOST_GROUP);
  const volume = bounded(view.getUint16(12), FULL_VOLUME, FULL_VOLUME);
  const sides = [52, 56].map((at) => bounded(view.getUint32(at), MOST_SIDE));
  return fullBox(
    "tkhd",
    { version: 1, flags },
    u64(0, 0),
    u32(id, 0),
    u64(duration),
    u32(0, 0),
    u16(0, group, volume, 0),
    rewrittenMatrix(fields.subarray(16)),
    u32(...sides),
  );
}

/**
 * Adapts the source's track header if the source shows only a part of its picture. The size becomes that part's size in square
 * pixels, and the matrix keeps the turned picture in place.
 *
 * @param size of the part, in pixels
 */
export function withShownSize(header: TrackHeader, size: { width: number; height: number }): TrackHeader {
  const tkhd = header.tkhd.slice();
  const view = viewOf(tkhd);
  const matrixAt = tkhd[0] === 1 ? 52 : 40;
  const shown = squareSize(header.stsd, size);
  const number = (index: number): number => view.getInt32(matrixAt + 4 * index) / POINT;
  // Move the turned picture back to the left and top edges.
  for (const [at, across, down] of [
    [6, number(0) * shown.width, number(3) * shown.height],
    [7, number(1) * shown.width, number(4) * shown.height],
  ] as const) {
    view.setInt32(matrixAt + 4 * at, -POINT * Math.min(0, across, down, across + down));
  }
  view.setUint32(matrixAt + MATRIX_NUMBERS * 4, shown.width * POINT);
  view.setUint32(matrixAt + MATRIX_NUMBERS * 4 + 4, shown.height * POINT);
  return { ...header, tkhd };
}

const PICTURE_FIELD_BYTES = 78;

/** Converts a size to square pixels by a sample description's pixel aspect ratio (ISO/IEC 14496-12 §12.1.4). */
function squareSize(
  stsd: Uint8Array,
  { width, height }: { width: number; height: number },
): { width: number; height: number } {
  const [entry] = boxesOf(stsd.subarray(8));
  const pasp = findBox(entry?.content.subarray(PICTURE_FIELD_BYTES) ?? new Uint8Array(0), "pasp")?.content;
  const [across = 1, down = 1] = pasp === undefined ? [] : [0, 4].map((at) => viewOf(pasp).getUint32(at));
  return {
    width: Math.min(MOST_SIDE_PIXELS, Math.max(1, Math.round((width * across) / Math.max(1, down)))),
    height,
  };
}

/** The media header of a track by its kind: no blending for video, a centered balance for audio. */
export function mediaHeader(handler: TrackHeader["handler"]): Uint8Array {
  return handler === "vide" ? fullBox("vmhd", { flags: 1 }, u16(0, 0, 0, 0)) : fullBox("smhd", {}, u16(0, 0));
}

/** Sample groups that declare how many earlier samples must be decoded before a sample (pre-roll, ISO/IEC 14496-12 §10.1). */
const ROLL_GROUPS: ReadonlySet<string> = new Set(["roll", "prol"]);
const MOST_DISTANCES = 16;

/** Rewrites the known sample groups of an audio track for the given number of samples. */
export function rewrittenGroups(sources: readonly Uint8Array[], samples: number): Uint8Array[] {
  const boxes = boxesOf(concatBytes(sources));
  return [...ROLL_GROUPS].flatMap((group) => {
    const [described, assigned] = ["sgpd", "sbgp"].map(
      (wanted) =>
        boxes.find(
          ({ type, content }) => type === wanted && String.fromCharCode(...content.subarray(4, 8)) === group,
        )?.content,
    );
    const distances = described === undefined ? [] : distancesOf(described);
    if (assigned === undefined || distances.length === 0) return [];
    const runs = runsOf(assigned, { samples, groups: distances.length });
    const name = textBytes(group);
    return [
      fullBox("sgpd", { version: 1 }, name, u32(2, distances.length), u16(...distances)),
      fullBox("sbgp", {}, name, u32(runs.length / 2), u32(...runs)),
    ];
  });
}

/** Roll distances in samples; a negative one counts backward. */
function distancesOf(sgpd: Uint8Array): number[] {
  const version = sgpd[0] ?? 0;
  const view = viewOf(sgpd);
  const countAt = version === 0 ? 8 : 12;
  if (version > 1 || sgpd.length < countAt + 4) return [];
  const hasLengths = version === 1 && view.getUint32(8) === 0;
  const entryBytes = version === 0 ? 2 : hasLengths ? 6 : view.getUint32(8);
  const count = view.getUint32(countAt);
  if (entryBytes < 2 || count > MOST_DISTANCES || sgpd.length < countAt + 4 + count * entryBytes) return [];
  return Array.from({ length: count }, (_, index) =>
    view.getUint16(countAt + 4 + index * entryBytes + (hasLengths ? 4 : 0)),
  );
}

/** Pairs of a sample count and its group, up to the last sample. */
function runsOf(sbgp: Uint8Array, { samples, groups }: { samples: number; groups: number }): number[] {
  const view = viewOf(sbgp);
  const countAt = sbgp[0] === 1 ? 12 : 8;
  const runs: number[] = [];
  let left = samples;
  for (let at = countAt + 4; at + 8 <= sbgp.length && left > 0; at += 8) {
    const count = Math.min(left, view.getUint32(at));
    runs.push(count, bounded(view.getUint32(at + 4), groups));
    left -= count;
  }
  return runs;
}
