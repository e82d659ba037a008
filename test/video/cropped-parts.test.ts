import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { outputKey } from "../../src/records/media/media.objects.ts";
import { findMediaById } from "../../src/records/media/media.repository.ts";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { box, boxesOf, findBox, u32, viewOf } from "../../src/work/video/containers/boxes.ts";
import { EBML_IDS, uintElement } from "../../src/work/video/containers/ebml.ts";
import { readMatroskaHeader, elementsOf } from "../../src/work/video/containers/matroska-header.ts";
import { beginQuietly } from "../support/quiet-start.ts";
import { withSampleEntry } from "./formats/edit-movie.ts";
import { withTrackElements } from "./formats/edit-webm.ts";
import type { Format } from "./formats/format.ts";
import { FORMATS } from "./formats/formats.ts";
import { redacted, sourceOf } from "./support/outcomes.ts";
import { lumaOf } from "./support/revise-video.ts";
import { inspectVideo } from "./support/video-jobs.ts";

const CODED = { width: 160, height: 120 };
/** The shown area of the frames. */
const SHOWN = { left: 32, top: 16, width: 112, height: 80 };
/** In fractions of the shown area. */
const REGION = [0.5, 0.5, 0.25, 0.4] as const;
const OUTSIDE = [0, 0, 0.4, 1] as const;
/** A hidden pixel differs by at least this many levels. Encoding changes less. */
const HIDDEN_LEVELS = 24;
const LEAST_HIDDEN_SHARE = 0.3;
const MOST_OPEN_SHARE = 0.02;
const PICTURE_FIELD_BYTES = 78;

beginQuietly();

/** A clean aperture (ISO/IEC 14496-12 §12.1.4): sizes, and how far the middle is from that of the frame, as fractions. */
function withAperture(file: Uint8Array): Uint8Array {
  const right = SHOWN.left + SHOWN.width / 2 - CODED.width / 2;
  const down = SHOWN.top + SHOWN.height / 2 - CODED.height / 2;
  const clap = box("clap", u32(SHOWN.width, 1, SHOWN.height, 1, 2 * right, 2, 2 * down, 2));
  return withSampleEntry(file, "vide", (entry) => concatBytes([entry, clap]));
}

/** Bottom, top, left and right of RFC 9559 §5.1.4.1.28.8 to .11. */
const CROP_IDS = [0x54aa, 0x54bb, 0x54cc, 0x54dd] as const;

function withPixelCrop(file: Uint8Array): Uint8Array {
  const { left, top, width, height } = SHOWN;
  const values = [CODED.height - top - height, top, left, CODED.width - left - width];
  const crops = CROP_IDS.map((id, index) => uintElement(id, values[index] ?? 0));
  return withTrackElements(file, (id, content) =>
    id === EBML_IDS.video ? concatBytes([...kept(content), ...crops]) : content,
  );
}

/** The fields of a picture without the size at which it is shown. */
function kept(picture: Uint8Array): Uint8Array[] {
  return elementsOf(picture).flatMap(({ id, bytes }) => (id === 0x54b0 || id === 0x54ba ? [] : [bytes]));
}

const CASES: readonly (readonly [string, Format["container"], string, (file: Uint8Array) => Uint8Array])[] = [
  ["MP4", "MP4", "with B-frames, moov at the end", withAperture],
  ["MP4 that is turned", "MP4", "turned by 90°", withAperture],
  ["QuickTime", "QuickTime", "PCM of 16 bits", withAperture],
  ["WebM", "WebM", "VP8, Vorbis, tags and chapters", withPixelCrop],
  ["Matroska", "Matroska", "variable frame rate", withPixelCrop],
];

/** The share of a region's pixels that differ in a frame. */
function changedShare(
  before: Uint8Array,
  after: Uint8Array,
  [left, top, width, height]: readonly [number, number, number, number],
): number {
  let [all, changed] = [0, 0];
  for (let y = Math.ceil(top * SHOWN.height); y < Math.floor((top + height) * SHOWN.height); y++) {
    for (let x = Math.ceil(left * SHOWN.width); x < Math.floor((left + width) * SHOWN.width); x++) {
      const coded = before[(y + SHOWN.top) * CODED.width + x + SHOWN.left] ?? 0;
      all += 1;
      if (Math.abs(coded - (after[y * SHOWN.width + x] ?? 0)) >= HIDDEN_LEVELS) changed += 1;
    }
  }
  return changed / all;
}

/** Width and height of the output's frames by its header, and whether it crops them. */
async function declaredSize(output: Uint8Array): Promise<{ size: number[]; isCropped: boolean }> {
  const stsd = findBox(output, "moov", "trak", "mdia", "minf", "stbl", "stsd");
  const [entry] = stsd === undefined ? [] : boxesOf(stsd.content.subarray(8));
  if (entry !== undefined) {
    const view = viewOf(entry.content);
    const boxes = boxesOf(entry.content.subarray(PICTURE_FIELD_BYTES)).map(({ type }) => type);
    return { size: [view.getUint16(24), view.getUint16(26)], isCropped: boxes.includes("clap") };
  }
  const { tracks } = await readMatroskaHeader(async (start, end) => output.slice(start, end), output.length);
  const video = tracks[0]?.elements.find(({ id }) => id === EBML_IDS.video);
  const fields = new Map(
    elementsOf(video?.content ?? new Uint8Array(0)).map(({ id, content }) => [id, content]),
  );
  const size = [EBML_IDS.pixelWidth, EBML_IDS.pixelHeight].map((id) => fields.get(id)?.at(-1) ?? 0);
  return { size, isCropped: CROP_IDS.some((id) => fields.has(id)) };
}

test.for(CASES)(
  "what a container crops away is not delivered, and places are those of what is shown: %s",
  async ([, container, property, crop]) => {
    const format = FORMATS.find((found) => found.container === container && found.property === property);
    if (format === undefined) throw new Error(`There is no format ${property}.`);
    const whole = await sourceOf(format);
    const detection = { category: "qr_codes", confidence: 0.9, box: REGION };
    const video = await redacted(container, Uint8Array.from(crop(whole)), { detections: [detection] });
    expect(await inspectVideo(video)).toMatchObject({ status: "completed" });
    const stored = await env.MEDIA.get(outputKey(video));
    const output = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer(0));

    const { width, height } = SHOWN;
    expect(await declaredSize(output)).toEqual({ size: [width, height], isCropped: false });
    const row = await findMediaById(openDatabase(env.DB, "primary"), video.mediaId);
    expect(row).toMatchObject({ widthPixels: width, heightPixels: height });
    const [before, after] = [await lumaOf(whole), await lumaOf(output)];
    const frames = before.length / (CODED.width * CODED.height);
    expect(after.length).toBe(frames * width * height);
    for (let frame = 0; frame < frames; frame++) {
      const coded = before.subarray(frame * CODED.width * CODED.height);
      const shown = after.subarray(frame * width * height);
      expect(changedShare(coded, shown, REGION)).toBeGreaterThan(LEAST_HIDDEN_SHARE);
      expect(changedShare(coded, shown, OUTSIDE)).toBeLessThan(MOST_OPEN_SHARE);
    }
  },
);
