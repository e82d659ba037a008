import { viewOf } from "./boxes.ts";
import { EBML_IDS, element, floatElement, textElement, uintElement, numberOf } from "./ebml.ts";
import { elementsOf, type EbmlElement } from "./matroska-header.ts";

/** Rewrites an element of one kind. Returns undefined if its content is invalid for that kind. */
type Rewrite = (found: EbmlElement) => Uint8Array | undefined;
type Fields = ReadonlyMap<number, Rewrite>;

/** Rewrites the known elements, each at most once, in their order. */
export function rewrittenFields(elements: readonly EbmlElement[], fields: Fields): Uint8Array[] {
  const seen = new Set<number>();
  return elements.flatMap((found) => {
    if (seen.has(found.id)) return [];
    seen.add(found.id);
    const written = fields.get(found.id)?.(found);
    return written === undefined ? [] : [written];
  });
}

const MOST_UINT_BYTES = 8;
const UNDETERMINED = "und";

function uint(most: number): Rewrite {
  return ({ id, content }) => {
    const value = content.length > MOST_UINT_BYTES ? Infinity : numberOf(content);
    return value > most ? undefined : uintElement(id, value);
  };
}

/** A number within a range, rounded to 1/`parts` of its unit. */
function float(least: number, most: number, parts: number): Rewrite {
  return ({ id, content }) => {
    if (content.length !== 4 && content.length !== 8) return undefined;
    const value = content.length === 4 ? viewOf(content).getFloat32(0) : viewOf(content).getFloat64(0);
    return value >= least && value <= most ? floatElement(id, Math.round(value * parts) / parts) : undefined;
  };
}

/** Rewrites a language as three letters (RFC 9559 §5.1.4.1.19). A missing language would mean English. */
function language({ id, content }: EbmlElement): Uint8Array {
  const text = new TextDecoder("latin1").decode(content).replace(/\0+$/, "");
  return textElement(id, /^[a-z]{3}$/.test(text) ? text : UNDETERMINED);
}

const NANOSECONDS = 1e9;
const MOST_FRAME_NANOSECONDS = 60 * NANOSECONDS;
const FLAG = uint(1);
const MOST_RATIO = 2_000_000;
const MOST_RATE = 768_000;
const RATE = float(1, MOST_RATE, 1);
const DEGREES = float(-180, 180, 1000);
const SHARE = float(0, 1, 50_000);
const LIGHT = float(0, 10_000, 10_000);

/** The elements of a track that are copied (RFC 9559 §5.1.4.1): frame duration, language, default flag, delays. */
export const TRACK_FIELDS: Fields = new Map<number, Rewrite>([
  [EBML_IDS.defaultDuration, uint(MOST_FRAME_NANOSECONDS)],
  [EBML_IDS.language, language],
  [EBML_IDS.flagDefault, FLAG],
  [EBML_IDS.codecDelay, uint(10 * NANOSECONDS)],
  [EBML_IDS.seekPreRoll, uint(10 * NANOSECONDS)],
]);

/** Sampling frequencies, channels, depth (RFC 9559 §5.1.4.1.29). */
export const AUDIO_FIELDS: Fields = new Map<number, Rewrite>([
  [0xb5, RATE],
  [0x78b5, RATE],
  [0x9f, uint(255)],
  [0x6264, uint(64)],
]);

/** Primaries and luminance of the display on which a video was graded (RFC 9559 §5.1.4.1.28.30). */
const MASTERING_FIELDS: Fields = new Map<number, Rewrite>([
  ...[0x55d1, 0x55d2, 0x55d3, 0x55d4, 0x55d5, 0x55d6, 0x55d7, 0x55d8].map((id) => [id, SHARE] as const),
  [0x55d9, LIGHT],
  [0x55da, LIGHT],
]);

/** Colors (RFC 9559 §5.1.4.1.28.16). */
export const COLOUR_FIELDS: Fields = new Map<number, Rewrite>([
  [EBML_IDS.matrixCoefficients, uint(14)],
  [0x55b2, uint(16)],
  [0x55b3, uint(4)],
  [0x55b4, uint(4)],
  [0x55b5, uint(4)],
  [0x55b6, uint(4)],
  [0x55b7, uint(2)],
  [0x55b8, uint(2)],
  [EBML_IDS.range, uint(3)],
  [EBML_IDS.transferCharacteristics, uint(18)],
  [EBML_IDS.primaries, uint(22)],
  [0x55bc, uint(10_000)],
  [0x55bd, uint(10_000)],
  [0x55d0, ({ id, content }) => element(id, ...rewrittenFields(elementsOf(content), MASTERING_FIELDS))],
]);

const PROJECTION_TYPE = 0x7671;
const EQUIRECTANGULAR = 1;
const PROJECTION_FIELDS: Fields = new Map<number, Rewrite>([
  [PROJECTION_TYPE, uint(EQUIRECTANGULAR)],
  [0x7673, DEGREES],
  [0x7674, DEGREES],
  [0x7675, DEGREES],
]);
const PROJECTION_PRIVATE = 0x7672;
/** Version, flags, and the picture's distance from each edge of the sphere. All zeros mean that it covers the whole sphere. */
const WHOLE_SPHERE_BYTES = 20;

/** Rewrites a projection: a flat picture that may be turned, or a whole sphere (RFC 9559 §5.1.4.1.28.41). */
function projection({ id, content }: EbmlElement): Uint8Array | undefined {
  const elements = elementsOf(content);
  const type = elements.find((found) => found.id === PROJECTION_TYPE);
  const kind = type === undefined ? 0 : numberOf(type.content);
  if (kind > EQUIRECTANGULAR) return undefined;
  const sphere = kind === 0 ? [] : [element(PROJECTION_PRIVATE, new Uint8Array(WHOLE_SPHERE_BYTES))];
  return element(id, ...rewrittenFields(elements, PROJECTION_FIELDS), ...sphere);
}

/**
 * Interlacing, stereo mode, display size and projection (RFC 9559 §5.1.4.1.28). The output has neither alpha nor cropped
 * pixels, so the alpha mode and the crop are not copied.
 */
export const PICTURE_FIELDS: Fields = new Map<number, Rewrite>([
  [0x9a, uint(2)],
  [0x9d, uint(14)],
  [0x53b8, uint(14)],
  [EBML_IDS.displayWidth, uint(MOST_RATIO)],
  [EBML_IDS.displayHeight, uint(MOST_RATIO)],
  [EBML_IDS.displayUnit, uint(4)],
  [0x7670, projection],
]);
