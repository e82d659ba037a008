import { cleanCodecPrivate } from "./audio-descriptions.ts";
import { colourNumbers, type Colours } from "./colours.ts";
import { EBML_IDS, element, textElement, uintElement } from "./ebml.ts";
import { numberOf } from "./ebml-reader.ts";
import { elementsOf, type EbmlElement, type MatroskaTrack } from "./matroska-header.ts";

const KEPT_AUDIO = new Set<number>([
  EBML_IDS.codecId,
  EBML_IDS.codecDelay,
  EBML_IDS.seekPreRoll,
  EBML_IDS.defaultDuration,
  EBML_IDS.language,
  EBML_IDS.flagDefault,
]);
const KEPT_VIDEO = new Set<number>([EBML_IDS.defaultDuration, EBML_IDS.language, EBML_IDS.flagDefault]);
/** Sampling frequencies, channels, depth (RFC 9559 §5.1.4.1.29). */
const KEPT_SOUND = new Set([0xb5, 0x78b5, 0x9f, 0x6264]);
/** Fields, stereo, sizes, crops, shape, colours, projection (RFC 9559 §5.1.4.1.28); alpha is not kept, so its mode is not. */
const KEPT_PICTURE = new Set<number>([
  0x9a, 0x9d, 0x53b8, 0xb0, 0xba, 0x54aa, 0x54bb, 0x54cc, 0x54dd, 0x54b0, 0x54ba, 0x54b2, 0x7670,
]);

/** The entry of a sound track for the output under a number from 1: the source's without names and tags. */
export function soundEntry(track: MatroskaTrack, number: number): Uint8Array {
  const setup = find(track.elements, EBML_IDS.codecPrivate);
  const sound = find(track.elements, EBML_IDS.audio);
  return entry(track, number, [
    ...keptOf(track.elements, KEPT_AUDIO),
    ...(setup === undefined ? [] : [element(EBML_IDS.codecPrivate, cleanCodecPrivate(setup.content))]),
    ...(sound === undefined
      ? []
      : [element(EBML_IDS.audio, ...keptOf(elementsOf(sound.content), KEPT_SOUND))]),
  ]);
}

/**
 * The entry of the video for the output: the source's without names and tags, as VP8. That says nothing of its colours, so
 * they stand here even where only the source's packets told them.
 */
export function videoEntry(track: MatroskaTrack, number: number, colours: Colours): Uint8Array {
  const picture = elementsOf(find(track.elements, EBML_IDS.video)?.content ?? new Uint8Array(0));
  const told = elementsOf(find(picture, EBML_IDS.colour)?.content ?? new Uint8Array(0));
  return entry(track, number, [
    ...keptOf(track.elements, KEPT_VIDEO),
    textElement(EBML_IDS.codecId, "V_VP8"),
    element(EBML_IDS.video, ...keptOf(picture, KEPT_PICTURE), colourElement(told, colours)),
  ]);
}

const BROADCAST_RANGE = 1;
const FULL_RANGE = 2;
const IDENTITY_MATRIX = 0;

function colourElement(told: readonly EbmlElement[], colours: Colours): Uint8Array {
  const { primaries, transfer, matrix, isFullRange } = colourNumbers(colours);
  const range = isFullRange === true ? FULL_RANGE : BROADCAST_RANGE;
  const known: readonly (readonly [number, number | undefined])[] = [
    [EBML_IDS.matrixCoefficients, matrix],
    [EBML_IDS.range, isFullRange === undefined ? undefined : range],
    [EBML_IDS.transferCharacteristics, transfer],
    [EBML_IDS.primaries, primaries],
  ];
  const kept = told.filter((found) => !isBlank(found) && !isIdentity(found));
  const added = known.flatMap(([id, value]) =>
    value === undefined || kept.some((found) => found.id === id) ? [] : [uintElement(id, value)],
  );
  return element(EBML_IDS.colour, ...kept.map(({ bytes }) => bytes), ...added);
}

/** Pictures stored as red, green and blue; what the engine writes is not. */
function isIdentity({ id, content }: EbmlElement): boolean {
  return id === EBML_IDS.matrixCoefficients && numberOf(content) === IDENTITY_MATRIX;
}

const VOID = 0xec;
const CHECKSUM = 0xbf;

/** Void elements may hold anything; checksums would no longer hold. */
function isBlank({ id }: EbmlElement): boolean {
  return id === VOID || id === CHECKSUM;
}

function entry(track: MatroskaTrack, number: number, elements: readonly Uint8Array[]): Uint8Array {
  return element(
    EBML_IDS.trackEntry,
    uintElement(EBML_IDS.trackNumber, number),
    uintElement(EBML_IDS.trackUid, number),
    uintElement(EBML_IDS.trackType, track.type),
    ...elements,
  );
}

function find(elements: readonly EbmlElement[], id: number): EbmlElement | undefined {
  return elements.find((candidate) => candidate.id === id);
}

function keptOf(elements: readonly EbmlElement[], kept: ReadonlySet<number>): Uint8Array[] {
  return elements.filter(({ id }) => kept.has(id)).map(({ bytes }) => bytes);
}
