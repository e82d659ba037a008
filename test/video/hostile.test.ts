import { env } from "cloudflare:workers";
import { afterEach, describe, expect, test, vi } from "vitest";
import { concatBytes, textBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { box, u32, viewOf } from "../../src/work/video/containers/boxes.ts";
import { eventSchema } from "../../src/records/media/media-events.ts";
import type { Format } from "./formats/format.ts";
import { HOSTILE_SOURCES } from "./formats/hostile-sources.ts";
import { outcomeOf, redacted, sourceOf } from "./support/outcomes.ts";
import { inspectVideo } from "./support/video-jobs.ts";

const MOST_MS = 60_000;
const DAMAGED = /^The video cannot be opened: its container is damaged or not complete\.$/;

afterEach(() => {
  vi.restoreAllMocks();
});

function formatOf(property: string): Format {
  const format = HOSTILE_SOURCES.find((candidate) => candidate.property === property);
  if (format === undefined) throw new Error(`There is no source ${property}.`);
  return format;
}

async function endOf(
  property: string,
  change = (file: Uint8Array): Uint8Array => file,
  videoMinutes?: number,
) {
  const format = formatOf(property);
  const file = Uint8Array.from(change(await sourceOf(format)));
  return await outcomeOf(format.container, file, videoMinutes === undefined ? {} : { videoMinutes });
}

/** The position of the n-th four-letter name, such as a box type. */
function placeOf(file: Uint8Array, name: string, nth = 0): number {
  const wanted = textBytes(name);
  let found = -1;
  for (let at = 0; at + 4 <= file.length; at++) {
    if (wanted.every((byte, index) => file[at + index] === byte) && ++found === nth) return at;
  }
  throw new Error(`There is no ${name}.`);
}

/** Writes a 32-bit number into a box, at an offset after its type. */
function withNumber(name: string, after: number, value: number, nth = 0) {
  return (file: Uint8Array): Uint8Array => {
    const changed = file.slice();
    viewOf(changed).setUint32(placeOf(file, name, nth) + 4 + after, value);
    return changed;
  };
}

function renamed(from: string, to: string, nth = 0) {
  return (file: Uint8Array): Uint8Array => {
    const changed = file.slice();
    changed.set(textBytes(to), placeOf(file, from, nth));
    return changed;
  };
}

/** The file with another movie header in place of its own and its media. */
function withMoov(moov: Uint8Array) {
  return (file: Uint8Array): Uint8Array =>
    concatBytes([file.subarray(0, placeOf(file, "moov") - 4), box("moov", moov)]);
}

/** The file with the duration that the header of every track declares (ISO/IEC 14496-12 §8.4.2) changed. */
function declaring(seconds: number) {
  return (file: Uint8Array): Uint8Array => {
    const changed = file.slice();
    const tracks = new TextDecoder("latin1").decode(file).split("mdhd").length - 1;
    for (let nth = 0; nth < tracks; nth++) {
      const at = placeOf(file, "mdhd", nth) + 4;
      viewOf(changed).setUint32(at + 16, Math.round(seconds * viewOf(file).getUint32(at + 12)));
    }
    return changed;
  };
}

describe("a refusal at once says why", () => {
  test.for<[string, RegExp]>([
    [
      "MPEG-4 part 2",
      /^The video's codec is mp4v; supported codecs are H\.264 and H\.265\. Export it as H\.264\.$/,
    ],
    [
      "MJPEG",
      /^The video's codec is (?:jpeg|mjpa); supported codecs are H\.264 and H\.265\. Export it as H\.264\.$/,
    ],
    [
      "ProRes",
      /^The video's codec is prores; supported codecs are H\.264 and H\.265\. Export it as H\.264\.$/,
    ],
    ["sound alone", /^The file has no video track\.$/],
    ["two videos", /^The file has 2 video tracks; expected one\.$/],
    ["120 frames a second", /^The video has 120\.0 frames a second; the limit is 60\.$/],
    ["a long row of pixels", /^The video has 1936×64 pixels; the limit is 1920×1088 in any orientation\.$/],
    [
      "DV in AVI",
      /^The video's codec is DVSD; supported codecs are H\.264, MPEG-4 part 2 and MJPEG\. Export it as H\.264\.$/,
    ],
    ["B-frames in AVI", /^The AVI has B-frames, .* Export it as MP4 with H\.264\.$/],
    [
      "MPEG-4 part 2 in Matroska",
      /^The video's codec is V_MPEG4\/ISO\/ASP; supported codecs are H\.264, H\.265, VP8 and VP9\. Export it as H\.264\.$/,
    ],
  ])("%s", async ([property, sentence]) => {
    expect(await endOf(property)).toMatch(sentence);
  });

  test("AV1, by its name in either container", async () => {
    expect(await endOf("faststart", renamed("avc1", "av01", 1))).toMatch(
      /^The video's codec is av1; supported codecs are H\.264 and H\.265\. Export it as H\.264\.$/,
    );
    expect(await endOf("clusters", renamed("V_VP8", "V_AV1"))).toMatch(
      /^The video's codec is av1; supported codecs are VP8 and VP9\. Export it as H\.264\.$/,
    );
  });
});

describe("unusual videos are redacted", () => {
  test.for(["one frame", "a frame every ten minutes", "sizes that change"])("%s", async (property) => {
    expect(await endOf(property)).toBe("completed");
  });

  test("an hour in one group of pictures", { timeout: MOST_MS }, async () => {
    expect(await endOf("an hour in one group of pictures")).toBe("completed");
  });
});

describe("an MP4 whose header lies", () => {
  test.for<[string, (file: Uint8Array) => Uint8Array, RegExp]>([
    [
      "is encrypted",
      renamed("avc1", "encv", 1),
      /^The video's pictures are encrypted; only unencrypted videos are supported/,
    ],
    [
      "has encrypted sound",
      renamed("mp4a", "enca"),
      /^The video's sound is encrypted; only unencrypted videos are supported/,
    ],
    ["has media alone", renamed("moov", "free"), /^The file has no video track\.$/],
    ["has no video track", renamed("vide", "meta"), /^The file has no video track\.$/],
    [
      "declares a huge frame",
      withNumber("avc1", 24, 0xffffffff, 1),
      /^The video has 65535×65535 pixels; the limit is/,
    ],
    ["declares no pixels", withNumber("avc1", 24, 0, 1), /^The video declares no pixels\.$/],
    // Its edit list shows only the existing media.
    ["declares four days", withNumber("mdhd", 16, 0xffffffff), /^completed$/],
    ["has a table of milliards", withNumber("stts", 8, 0xffffffff), DAMAGED],
    ["has offsets of milliards", withNumber("ctts", 8, 0xffffffff), DAMAGED],
    ["has tables longer than itself", withNumber("stts", 4, 0x7fffffff), DAMAGED],
    ["has frames a tick apart", withNumber("stts", 12, 1), /frames a second; the limit is 60\.$/],
    ["has chunks out of order", withNumber("stsc", 8, 0xfffffff0), DAMAGED],
    ["counts no ticks a second", withNumber("mdhd", 12, 0), /^The video (?:cannot be opened|has|lasts)/],
    [
      "has no frames",
      (file) => withNumber("stts", 4, 0)(withNumber("stsz", 8, 0)(file)),
      /^failed: plan_no_frames$/,
    ],
    ["has its media elsewhere", withNumber("stco", 8, 0x7fffffff), /^failed: source_/],
    ["has frames of 4 GB", withNumber("stsz", 12, 0xfffffff0), /^failed: source_unreadable$/],
    [
      "has no configuration",
      renamed("avcC", "free"),
      /^(?:failed: (?:source|engine)_|The video cannot be opened)/,
    ],
  ])("%s", async ([, change, words]) => {
    expect(await endOf("faststart", change)).toMatch(words);
  });

  test("holds more than it said: charged for all, or quota_exceeded", async () => {
    const change = withNumber("mdhd", 16, 1);
    expect(await endOf("a frame every ten minutes", change)).toBe("completed");
    expect(await endOf("a frame every ten minutes", change, 1)).toBe("quota_exceeded");
  });

  test.for([
    ["a frame every ten minutes", 1, 1800, 3000],
    ["faststart", 1800, 0.4, 1],
  ] as const)(
    "says that %s lasts %d seconds: what was counted is shown, told and charged",
    async ([property, declaredSeconds, countedSeconds, usedUnits]) => {
      const format = formatOf(property);
      const file = Uint8Array.from(declaring(declaredSeconds)(await sourceOf(format)));
      const video = await redacted(format.container, file);
      const row = await env.DB.prepare(
        `SELECT duration_seconds AS shown, (SELECT payload FROM events WHERE media_id = media.id) AS payload
         FROM media WHERE id = ?`,
      )
        .bind(video.mediaId)
        .first<{ shown: number; payload: string }>();
      const { media } = eventSchema.parse(JSON.parse(row?.payload ?? "null"));
      expect([row?.shown, media?.duration_seconds]).toEqual([countedSeconds, countedSeconds]);
      expect(await inspectVideo(video)).toMatchObject({
        status: "completed",
        usage: { used: usedUnits, reserved: 0 },
      });
    },
  );

  test("nests without end, or has ten thousand tracks", async () => {
    const nested = Array.from({ length: 4000 }, () => "trak").reduce(
      (inner, name) => box(name, inner),
      new Uint8Array(0) as Uint8Array,
    );
    expect(await endOf("faststart", withMoov(nested))).toMatch(
      /^The (?:video cannot be opened|file has no video)/,
    );
    const deep = new Uint8Array(2_000_000);
    for (let at = 0; at + 8 <= deep.length; at += 8) {
      deep.set(concatBytes([u32(deep.length - at), textBytes("trak")]), at);
    }
    expect(await endOf("faststart", withMoov(deep))).toMatch(DAMAGED);
    const many = concatBytes(Array.from({ length: 10_000 }, () => box("trak")));
    expect(await endOf("faststart", withMoov(many))).toMatch(/^The file has no video track/);
  });

  test("has a fragment of milliards of samples", async () => {
    expect(await endOf("fragments", withNumber("trun", 4, 0xffffffff))).toMatch(DAMAGED);
  });
});

describe("files cut off end soon, and leave nothing", () => {
  test.for(["faststart", "fragments", "clusters"])("%s", { timeout: MOST_MS }, async (property) => {
    const ends = new Set<string>();
    for (const share of [0.01, 0.03, 0.1, 0.3, 0.5, 0.75, 0.97]) {
      const end = await endOf(property, (file) => file.subarray(0, Math.floor(file.length * share)));
      ends.add(end.replace(/^The .*/, "refused"));
    }
    // The part of a fragmented file or a WebM before the cut is a valid video.
    const accepted = property === "faststart" ? [] : ["completed"];
    for (const end of ends)
      expect([
        "refused",
        "failed: source_undecodable",
        "failed: source_unreadable",
        "failed: plan_no_frames",
        ...accepted,
      ]).toContain(end);
    expect(ends).toContain("refused");
  });
});
