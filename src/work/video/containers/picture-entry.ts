import { concatBytes, textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { rebuildProfile } from "../../../pixels/redaction/icc/profile.ts";
import { bounded } from "./bounded-numbers.ts";
import { box, boxesOf, u16, u32, viewOf } from "./boxes.ts";

type Rewrite = (content: Uint8Array) => Uint8Array | undefined;

const MOST_CODED_COLOUR = 255;
const MOST_GAMMA = 0x00ff_ffff;
const MOST_RATIO = 0x00ff_ffff;
const FIELD_ORDERS: ReadonlySet<number> = new Set([0, 1, 6, 9, 14]);

/**
 * The boxes of a video's sample entry that are kept, by type, and how each is rewritten. `clap` is not kept, because the output
 * holds only the area that it shows.
 */
const KEPT_ENTRY_BOXES: ReadonlyMap<string, Rewrite> = new Map<string, Rewrite>([
  ["colr", rewrittenColours],
  ["gama", (content) => numbers(content, { count: 1, most: MOST_GAMMA })],
  ["pasp", (content) => numbers(content, { count: 2, most: MOST_RATIO })],
  ["fiel", rewrittenFields],
  ["mdcv", rewrittenMastering],
  ["clli", (content) => (content.length < 4 ? undefined : content.subarray(0, 4))],
]);

/**
 * Builds the sample description of H.264 video from the source's colors and pixel aspect ratio and the encoder's configuration.
 *
 * @param source content of the source's sample description box
 * @param description decoder configuration record
 * @param picture its size; `entryType` is `avc3` if parameter sets are within the stream too (ISO/IEC 14496-15 §5.4.2.1)
 */
export function avcSampleDescription(
  source: Uint8Array,
  description: Uint8Array,
  { width, height, entryType }: { width: number; height: number; entryType: "avc1" | "avc3" },
): Uint8Array {
  const [entry] = boxesOf(source.subarray(8));
  const kept = boxesOf(entry?.content.subarray(78) ?? new Uint8Array(0)).flatMap(({ type, content }) => {
    const written = KEPT_ENTRY_BOXES.get(type)?.(content);
    return written === undefined ? [] : [box(type, written)];
  });
  const fields = concatBytes([
    u16(0, 0, 0, 1),
    u32(0, 0, 0, 0),
    u16(width, height),
    u32(0x480000, 0x480000, 0),
    u16(1),
    new Uint8Array(32),
    u16(0x18, 0xffff),
  ]);
  return concatBytes([u32(0, 1), box(entryType, fields, box("avcC", description), ...kept)]);
}

/** Reads 32-bit numbers. Returns undefined if one is missing or out of range. */
function numbers(
  content: Uint8Array,
  { count, most }: { count: number; most: number },
): Uint8Array | undefined {
  if (content.length < 4 * count) return undefined;
  const view = viewOf(content);
  const values = Array.from({ length: count }, (_, index) => view.getUint32(4 * index));
  return values.some((value) => value > most) ? undefined : u32(...values);
}

/** Rewrites colors that are numbers or an ICC profile (ISO/IEC 14496-12 §12.1.5). A profile is rebuilt as it is for photos. */
function rewrittenColours(content: Uint8Array): Uint8Array | undefined {
  const kind = String.fromCharCode(...content.subarray(0, 4));
  if (kind === "nclx" || kind === "nclc") {
    if (content.length < 10) return undefined;
    const view = viewOf(content);
    const values = [4, 6, 8].map((at) => bounded(view.getUint16(at), MOST_CODED_COLOUR, 2));
    const range = kind === "nclx" ? Uint8Array.of((content[10] ?? 0) & 0x80) : new Uint8Array(0);
    return concatBytes([textBytes(kind), u16(...values), range]);
  }
  if (kind !== "prof" && kind !== "rICC") return undefined;
  const profile = rebuildProfile(content.subarray(4));
  return profile === undefined ? undefined : concatBytes([textBytes(kind), profile]);
}

function rewrittenFields(content: Uint8Array): Uint8Array | undefined {
  const [fields = 0, order = 0] = content;
  return fields < 1 || fields > 2 || !FIELD_ORDERS.has(order) ? undefined : Uint8Array.of(fields, order);
}

const CHROMATICITIES = 8;
/** In units of 1/50,000. */
const MOST_CHROMATICITY = 50_000;
const CHROMATICITY_STEP = 5;
/** In units of 1/10,000 of a candela per square meter. */
const MOST_LUMINANCE = 100_000_000;

/** Rewrites the color volume of the display on which the video was graded (SMPTE ST 2086). */
function rewrittenMastering(content: Uint8Array): Uint8Array | undefined {
  if (content.length < 2 * CHROMATICITIES + 8) return undefined;
  const view = viewOf(content);
  const places = Array.from({ length: CHROMATICITIES }, (_, index) => view.getUint16(2 * index));
  const lights = [16, 20].map((at) => view.getUint32(at));
  if (places.some((value) => value > MOST_CHROMATICITY) || lights.some((value) => value > MOST_LUMINANCE))
    return undefined;
  const rounded = places.map((value) => Math.round(value / CHROMATICITY_STEP) * CHROMATICITY_STEP);
  return concatBytes([u16(...rounded), u32(...lights)]);
}
