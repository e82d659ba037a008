import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, test } from "vitest";
import { packetsOf } from "../e2e/videos.ts";
import { ffmpeg } from "../node-support/ffmpeg.ts";

const ASSETS = join(import.meta.dirname, "../../src/web/dashboard/assets");

interface Format {
  readonly file: string;
}

const { copyArguments, copyFormat, tooMuch } = (await import(
  pathToFileURL(join(ASSETS, "film-copy-plan.ts")).href
)) as {
  copyArguments: (
    input: string,
    order: { format: Format; part: typeof WHOLE; hasSound: boolean },
  ) => string[];
  copyFormat: (canPlay: (type: string) => string) => Format;
  tooMuch: (film: { fileBytes: number; durationSeconds: number }) => string | undefined;
};

const WHOLE = { x: 0, y: 0, width: 1, height: 1 };
const H264 = copyFormat(() => "probably");
const VP8 = copyFormat((type) => (type.includes("avc1") ? "" : "maybe"));
/** Ticks per second of the containers. */
const TICKS = { "copy.mp4": 90_000, "copy.webm": 1000 } as Readonly<Record<string, number>>;

const PICTURE = "-f lavfi -i testsrc2=size=322x180:rate=25:duration=2";
const TONE = "-f lavfi -i sine=duration=2";
const MPEG4 = "-c:v mpeg4 -bf 0 -q:v 3 -fps_mode passthrough";

/** Films by what is special about their times. Each is made by ffmpeg's arguments. */
const FILMS = {
  "begins at 0": `${PICTURE} ${TONE} ${MPEG4} -c:a mp2`,
  "begins at 5 s": `${PICTURE} ${TONE} ${MPEG4} -c:a mp2 -output_ts_offset 5`,
  "has a variable frame rate": `${PICTURE} ${TONE} -vf select=not(mod(n\\,3)*mod(n\\,7)) ${MPEG4} -enc_time_base 1:1000 -c:a mp2`,
  "begins with its sound, 0.4 s before its picture": `${PICTURE} ${TONE} -vf setpts=PTS+0.4/TB ${MPEG4} -c:a mp2`,
  "has no sound": `${PICTURE} ${MPEG4}`,
} as Readonly<Record<string, string>>;

function fromFirst(ticks: readonly number[], perSecond: number): number[] {
  return ticks.map((tick) => (tick - (ticks[0] ?? 0)) / perSecond);
}

async function copied(original: Uint8Array, format: Format, part = WHOLE): Promise<Uint8Array<ArrayBuffer>> {
  const args = copyArguments("film", { format, part, hasSound: true });
  expect(args.at(-1)).toBe(format.file);
  return (await ffmpeg({ film: original }, args.slice(0, -1), format.file)).bytes;
}

describe.for([H264, VP8])("a copy as $file", (format) => {
  test.for(Object.keys(FILMS))("keeps the time of every frame of a film that %s", async (name) => {
    const { bytes } = await ffmpeg({}, (FILMS[name] ?? "").split(" "), "film.mkv");
    const before = await packetsOf(bytes, "film.mkv");
    const after = await packetsOf(await copied(bytes, format), format.file);
    const [frames, sound] = before.streams;
    const [copiedFrames, copiedSound] = after.streams;
    const perSecond = TICKS[format.file] ?? 0;
    const from = fromFirst(frames?.presentationTicks ?? [], 1000);
    const to = fromFirst(copiedFrames?.presentationTicks ?? [], perSecond);
    expect(from.length).toBeGreaterThan(10);
    expect(to.length).toBe(from.length);
    for (const [index, seconds] of from.entries()) expect(to[index]).toBeCloseTo(seconds, 2.5);
    expect(copiedSound === undefined).toBe(sound === undefined);
  });
});

test("a copy shows only what the original's container shows, and keeps its shape", async () => {
  const { bytes } = await ffmpeg({}, `${PICTURE} ${MPEG4}`.split(" "), "film.avi");
  const { log } = await packetsOf(
    await copied(bytes, H264, { x: 0.25, y: 0.5, width: 0.5, height: 0.5 }),
    "copy.mp4",
  );
  expect(log).toMatch(/Video: h264.* 160x90[ ,]/);
  const wide = "-f lavfi -i testsrc2=size=1281x721:rate=5:duration=1 -c:v mjpeg -q:v 5 -bitexact".split(" ");
  const large = await ffmpeg({}, wide, "film.avi");
  expect((await packetsOf(await copied(large.bytes, H264), "copy.mp4")).log).toMatch(
    /Video: h264.* 640x360[ ,]/,
  );
});

test("a copy holds no metadata of the original", async () => {
  const titled = `${PICTURE} ${MPEG4} -metadata title=secret-title -metadata:s:v:0 title=secret-track`.split(
    " ",
  );
  const { bytes } = await ffmpeg({}, titled, "film.mkv");
  const text = new TextDecoder("latin1");
  expect(text.decode(bytes)).toContain("secret-title");
  expect(text.decode(await copied(bytes, H264))).not.toContain("secret-");
});

test("no copy is made of what is too large or too long, and a sentence says so", () => {
  expect(tooMuch({ fileBytes: 1_000_000_000, durationSeconds: 1200 })).toBeUndefined();
  expect(tooMuch({ fileBytes: 1_000_000_001, durationSeconds: 1 })).toMatch(/more than 1 GB/);
  expect(tooMuch({ fileBytes: 1, durationSeconds: 1201 })).toMatch(/longer than 20 minutes/);
});
