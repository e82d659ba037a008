import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { concatBytes, textBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { box, boxesOf, fullBox, u16, u32, viewOf } from "../../src/work/video/containers/boxes.ts";
import { EBML_IDS, element } from "../../src/work/video/containers/ebml.ts";
import { codedProfile } from "../../src/pixels/redaction/icc/coded-profile.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { withSampleEntry, withTrackBoxes } from "./formats/edit-movie.ts";
import { withTrackElements } from "./formats/edit-webm.ts";
import type { Format } from "./formats/format.ts";
import { FORMATS } from "./formats/formats.ts";
import { redacted, sourceOf } from "./support/outcomes.ts";
import { inspectVideo } from "./support/video-jobs.ts";

/** The planted bytes, which no output may contain. */
const FOREIGN = textBytes("FOREIGN");
const ENTRY_FIELD_BYTES = 28;
/** Bytes that version 1 of QuickTime's sample entries adds. */
const QUICKTIME_FIELD_BYTES = 16;
const PICTURE_FIELD_BYTES = 78;
/** Eight reserved bytes of a track header. */
const RESERVED_AT = 24;

beginQuietly();

type Plant = (file: Uint8Array) => Uint8Array;

function formatOf(container: Format["container"], property: string): Format {
  const format = FORMATS.find((found) => found.container === container && found.property === property);
  if (format === undefined) throw new Error(`There is no format ${property}.`);
  return format;
}

function count(file: Uint8Array): number {
  return new TextDecoder("latin1").decode(file).split("FOREIGN").length - 1;
}

/** Bytes with a part overwritten. */
function over(bytes: Uint8Array, at: number, part: Uint8Array = FOREIGN): Uint8Array {
  return concatBytes([bytes.subarray(0, at), part, bytes.subarray(at + part.length)]);
}

function after(bytes: Uint8Array): Uint8Array {
  return concatBytes([bytes, FOREIGN]);
}

/** Changes the boxes of a sample entry one by one, and adds a box of an unknown type. */
function plantInBoxes(fieldBytes: number, change: (type: string, content: Uint8Array) => Uint8Array) {
  return (entry: Uint8Array): Uint8Array =>
    concatBytes([
      entry.subarray(0, fieldBytes),
      ...boxesOf(entry.subarray(fieldBytes)).map(({ type, content }) => box(type, change(type, content))),
      box("junk", FOREIGN),
    ]);
}

/** Plants bytes after each box of an audio sample entry and in its reserved fields. */
function plantInSound(file: Uint8Array): Uint8Array {
  return withSampleEntry(file, "soun", (entry) => {
    const fieldBytes = ENTRY_FIELD_BYTES + (viewOf(entry).getUint16(8) === 1 ? QUICKTIME_FIELD_BYTES : 0);
    const boxes = plantInBoxes(fieldBytes, (_type, content) => after(content));
    return over(over(boxes(entry), 0, textBytes("FOREIG")), 10, textBytes("FOREIG"));
  });
}

function descriptor(tag: number, ...content: readonly Uint8Array[]): Uint8Array {
  const bytes = concatBytes(content);
  return concatBytes([Uint8Array.of(tag, bytes.length), bytes]);
}

/** Descriptors of AAC in mono at 44.1 kHz that hold foreign bytes wherever they can. */
function plantInDescriptors(file: Uint8Array): Uint8Array {
  const setup = descriptor(5, Uint8Array.of(0x12, 0x08), FOREIGN);
  const config = descriptor(
    4,
    Uint8Array.of(0x40, 0x15, 0, 0, 0),
    u32(0, 0),
    setup,
    descriptor(0x90, FOREIGN),
  );
  const stream = descriptor(
    3,
    Uint8Array.of(0, 0, 0x40),
    descriptor(FOREIGN.length, FOREIGN).subarray(1),
    config,
    descriptor(6, Uint8Array.of(2)),
    descriptor(0x91, FOREIGN),
  );
  const boxes = plantInBoxes(ENTRY_FIELD_BYTES, (type, content) =>
    type === "esds" ? concatBytes([u32(0), stream, FOREIGN]) : content,
  );
  return withSampleEntry(file, "soun", boxes);
}

/** Plants bytes in the headers of tracks and media, and in sample groups. */
function plantInHeaders(file: Uint8Array): Uint8Array {
  let planted = file;
  for (const handler of ["vide", "soun"] as const) {
    planted = withTrackBoxes(planted, handler, ["tkhd"], (tkhd) => over(after(tkhd), RESERVED_AT));
    const header = handler === "vide" ? "vmhd" : "smhd";
    planted = withTrackBoxes(planted, handler, ["mdia", "minf", header], after);
  }
  return withTrackBoxes(planted, "soun", ["mdia", "minf", "stbl"], (stbl) =>
    concatBytes([
      ...boxesOf(stbl).flatMap(({ type, bytes }) => (type === "sgpd" || type === "sbgp" ? [] : [bytes])),
      fullBox("sgpd", { version: 1 }, textBytes("roll"), u32(2, 1), u16(0xffff), FOREIGN),
      fullBox("sgpd", { version: 1 }, textBytes("FORE"), u32(7, 1), FOREIGN),
      fullBox("sbgp", {}, textBytes("roll"), u32(1, 10_000, 1), FOREIGN),
    ]),
  );
}

/** A color profile whose description is foreign, and other boxes of a picture with something after them. */
function plantInPicture(file: Uint8Array): Uint8Array {
  const profile = codedProfile({ primaries: 12, transfer: 1 }) ?? new Uint8Array(0);
  const boxes = plantInBoxes(PICTURE_FIELD_BYTES, (type, content) =>
    type === "avcC" ? content : after(content),
  );
  return withSampleEntry(file, "vide", (entry) =>
    over(
      concatBytes([
        boxes(entry),
        // Bytes 80 to 83 are the profile creator (ICC.1:2022, 7.2.17). Bytes after the profile are not part of it.
        box("colr", textBytes("prof"), over(profile, 80, textBytes("FORE")), FOREIGN),
        box("clli", u16(1000, 400), FOREIGN),
        box("fiel", Uint8Array.of(1, 0), FOREIGN),
      ]),
      43,
    ),
  );
}

const PROJECTION = 0x7670;
const PROJECTION_TYPE = 0x7671;
const PROJECTION_PRIVATE = 0x7672;
const NAME = 0x536e;

function plantInWebm(file: Uint8Array): Uint8Array {
  return withTrackElements(file, (id, content) => {
    if (id === EBML_IDS.language) return FOREIGN;
    if (id === EBML_IDS.codecId) return concatBytes([content, Uint8Array.of(0), FOREIGN]);
    if (id === EBML_IDS.codecPrivate) return after(content);
    if (id === EBML_IDS.trackEntry)
      return concatBytes([content, element(NAME, FOREIGN), element(EBML_IDS.language, FOREIGN)]);
    if (id === EBML_IDS.audio) return concatBytes([content, element(0x78b5, textBytes("FOREIGN!"))]);
    if (id !== EBML_IDS.video) return content;
    const projection = element(
      PROJECTION,
      element(PROJECTION_TYPE, Uint8Array.of(1)),
      element(PROJECTION_PRIVATE, FOREIGN),
    );
    const colors = element(
      EBML_IDS.colour,
      element(0x55d0, element(0x55d1, textBytes("FOREIGN!"))),
      element(0x55b7, FOREIGN),
    );
    return concatBytes([content, projection, colors]);
  });
}

/** The source, the planting function, and the box or text that shows that the output still has its sound. */
const CASES: readonly (readonly [string, Format["container"], string, Plant, string])[] = [
  ["`mp4a`, after `esds`", "MP4", "chapters", plantInSound, "esds"],
  ["the descriptors of `esds`", "MP4", "chapters", plantInDescriptors, "esds"],
  ["headers and groups of samples", "MP4", "chapters", plantInHeaders, "sgpd"],
  ["`colr` and its neighbors", "MP4", "chapters", plantInPicture, "colrprof"],
  ["`sowt`", "QuickTime", "PCM of 16 bits", plantInSound, "sowt"],
  ["`wave`", "QuickTime", "timecode and QuickTime's own metadata", plantInSound, "esds"],
  ["`alac`", "MP4", "ALAC", plantInSound, "alac"],
  ["after `dOps`", "MP4", "Opus", plantInSound, "dOps"],
  ["after `dfLa`", "MP4", "FLAC", plantInSound, "dfLa"],
  ["`Language` and others of WebM", "WebM", "VP9", plantInWebm, "A_OPUS"],
];

test.for(CASES)("nothing foreign of %s is in the output", async ([, container, property, plant, sound]) => {
  const name = property === "chapters" ? "with a pyramid of B-frames and chapters" : property;
  const source = Uint8Array.from(plant(await sourceOf(formatOf(container, name))));
  expect(count(source)).toBeGreaterThan(0);
  const video = await redacted(container, source);
  expect(await inspectVideo(video)).toMatchObject({ status: "completed" });
  const stored = await env.MEDIA.get(outputKey(video));
  const output = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer(0));
  expect(count(output)).toBe(0);
  expect(new TextDecoder("latin1").decode(output)).toContain(sound);
});
