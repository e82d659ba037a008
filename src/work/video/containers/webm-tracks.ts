import { textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { opusHead, vorbisSetup } from "./codec-setups.ts";
import { colourNumbers, type Colours } from "./colours.ts";
import { EBML_IDS, element, textElement, uintElement, numberOf } from "./ebml.ts";
import { elementsOf, type EbmlElement, type MatroskaTrack } from "./matroska-header.ts";
import { AUDIO_FIELDS, COLOUR_FIELDS, PICTURE_FIELDS, rewrittenFields, TRACK_FIELDS } from "./webm-fields.ts";

/** The audio codecs that WebM holds, by codec ID, and the function that rewrites each decoder configuration. */
const SETUPS: ReadonlyMap<string, (bytes: Uint8Array) => Uint8Array | undefined> = new Map([
  ["A_OPUS", opusHead],
  ["A_VORBIS", vorbisSetup],
]);

/**
 * Builds the output's entry of an audio track, numbered from 1, from the known fields of the source.
 *
 * @returns undefined if the codec's configuration is invalid, so that the track cannot be played
 */
export function soundEntry(track: MatroskaTrack, number: number): Uint8Array | undefined {
  const declared = find(track.elements, EBML_IDS.codecId)?.content ?? new Uint8Array(0);
  const codec = [...SETUPS.keys()].find((name) => textBytes(name).every((byte, at) => declared[at] === byte));
  const source = find(track.elements, EBML_IDS.codecPrivate)?.content;
  const setup = source === undefined ? undefined : SETUPS.get(codec ?? "")?.(source);
  if (codec === undefined || setup === undefined) return undefined;
  const sound = find(track.elements, EBML_IDS.audio);
  return entry(track, number, [
    ...rewrittenFields(track.elements, TRACK_FIELDS),
    textElement(EBML_IDS.codecId, codec),
    element(EBML_IDS.codecPrivate, setup),
    ...(sound === undefined
      ? []
      : [element(EBML_IDS.audio, ...rewrittenFields(elementsOf(sound.content), AUDIO_FIELDS))]),
  ]);
}

/**
 * Builds the output's entry of the video, as VP8, from the known fields of the source. VP8 packets do not declare colors, so
 * the entry holds them even if only the source's packets declared them.
 */
export function videoEntry(
  track: MatroskaTrack,
  number: number,
  { width, height, colours }: { width: number; height: number; colours: Colours },
): Uint8Array {
  const picture = elementsOf(find(track.elements, EBML_IDS.video)?.content ?? new Uint8Array(0));
  const declared = elementsOf(find(picture, EBML_IDS.colour)?.content ?? new Uint8Array(0));
  return entry(track, number, [
    ...rewrittenFields(track.elements, TRACK_FIELDS),
    textElement(EBML_IDS.codecId, "V_VP8"),
    element(
      EBML_IDS.video,
      uintElement(EBML_IDS.pixelWidth, width),
      uintElement(EBML_IDS.pixelHeight, height),
      ...rewrittenFields(picture, PICTURE_FIELDS),
      colourElement(declared, colours),
    ),
  ]);
}

const BROADCAST_RANGE = 1;
const FULL_RANGE = 2;
const IDENTITY_MATRIX = 0;

function colourElement(declared: readonly EbmlElement[], colours: Colours): Uint8Array {
  const { primaries, transfer, matrix, isFullRange } = colourNumbers(colours);
  const range = isFullRange === true ? FULL_RANGE : BROADCAST_RANGE;
  const known: readonly (readonly [number, number | undefined])[] = [
    [EBML_IDS.matrixCoefficients, matrix],
    [EBML_IDS.range, isFullRange === undefined ? undefined : range],
    [EBML_IDS.transferCharacteristics, transfer],
    [EBML_IDS.primaries, primaries],
  ];
  const kept = declared.filter((found) => !isIdentity(found));
  const added = known.flatMap(([id, value]) =>
    value === undefined || kept.some((found) => found.id === id) ? [] : [uintElement(id, value)],
  );
  return element(EBML_IDS.colour, ...rewrittenFields(kept, COLOUR_FIELDS), ...added);
}

/** Whether pictures are stored as red, green and blue. The engine's output never is. */
function isIdentity({ id, content }: EbmlElement): boolean {
  return id === EBML_IDS.matrixCoefficients && numberOf(content) === IDENTITY_MATRIX;
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
