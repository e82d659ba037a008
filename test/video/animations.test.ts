import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { outputKey, sourceKey } from "../../src/records/media/media.objects.ts";
import { StoredContainer } from "../../src/work/video/containers/open-container.ts";
import { packetsOf, tickOf } from "../../src/work/video/containers/track-packets.ts";
import { sampleSize } from "../../src/work/video/sampling/frame-sizes.ts";
import { writeGif, type GifPicture } from "../redaction-node/support/write-gif.ts";
import { createAccount } from "../support/accounts.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { quietBindings } from "../support/quiet-bindings.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import { revise } from "../support/revise.ts";
import {
  answerFrames,
  deliver,
  inspectVideo,
  queuedVideo,
  runToEnd,
  settle,
  type QueuedVideo,
} from "./support/video-jobs.ts";

const [WIDTH, HEIGHT] = [160, 96];
const SECRET = "A secret comment";
/** Drawings use blocks of one color, because 4:2:0 halves the color resolution. */
const BLOCK_PIXELS = 8;
const LEAST_PSNR = 38;
const LEAST_PSNR_OF_BORDERS = 24;
/** A call to storage after the job was claimed and before its source is replaced. */
const DELETED_AT_CALL = 5;
const PALETTE = Array.from({ length: 16 }, (_, index) => {
  return [index * 16, (index * 53) & 255, (index * 101) & 255] as const;
});
const DELAYS = [10, 0, 25, 4, 100, 1, 7, 300, 2, 50];
/** The delays that browsers use, in milliseconds. */
const SHOWN_MS = [100, 100, 250, 40, 1000, 100, 70, 3000, 20, 500];

beginQuietly();

function indexAt(frame: number, x: number, y: number): number {
  return (Math.floor(x / BLOCK_PIXELS) + Math.floor(y / BLOCK_PIXELS) * 3 + frame) % PALETTE.length;
}

function animation(delays: readonly number[] = DELAYS): Uint8Array<ArrayBuffer> {
  const pictures = delays.map((delay, frame): GifPicture => {
    const rows = Array.from({ length: HEIGHT }, (_, y) =>
      Array.from({ length: WIDTH }, (_column, x) => indexAt(frame, x, y)),
    );
    return { rows, delay, isInterlaced: frame % 2 === 1 };
  });
  return writeGif(pictures, { width: WIDTH, height: HEIGHT, palette: PALETTE, comment: SECRET });
}

async function queuedGif(source = animation(), durationSeconds = 5.18): Promise<QueuedVideo> {
  const { accountId } = await createAccount();
  return await queuedVideo(accountId, {
    source,
    format: "webm",
    sourceFormat: "gif",
    probed: { widthPixels: WIDTH, heightPixels: HEIGHT, durationSeconds },
  });
}

async function bytesOf(key: string): Promise<Uint8Array<ArrayBuffer>> {
  const object = await env.MEDIA.get(key);
  return new Uint8Array((await object?.arrayBuffer()) ?? new ArrayBuffer(0));
}

/** The time of each frame and the duration of the last one, in milliseconds. */
async function timesOf(bytes: Uint8Array<ArrayBuffer>): Promise<{ ticks: number[]; lastMs: number }> {
  const read = async (start: number, end: number): Promise<Uint8Array<ArrayBuffer>> =>
    await Promise.resolve(bytes.slice(start, end));
  const container = new StoredContainer(read, bytes.length);
  const [track] = await container.getVideoTracks();
  const ticks: number[] = [];
  let lastMs = 0;
  if (track === undefined) throw new Error("There is no video.");
  for await (const packet of packetsOf(track)) {
    ticks.push(tickOf(packet, 1000));
    lastMs = packet.duration * 1000;
  }
  container.dispose();
  return { ticks, lastMs };
}

/** Red, green and blue of all frames from another decoder. */
async function picturesOf(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const response = await fetch("http://formats.test/pictures", { method: "POST", body: bytes });
  return await response.bytes();
}

/** PSNR of the frames against those of the animation in dB, for pixels with `isMeant`. */
function psnrOf(pictures: Uint8Array, frames: number, isMeant: (x: number, y: number) => boolean): number {
  let error = 0;
  let samples = 0;
  for (let frame = 0; frame < frames; frame++) {
    for (let y = 0; y < HEIGHT; y++) {
      for (let x = 0; x < WIDTH; x++) {
        if (!isMeant(x, y)) continue;
        const color = PALETTE[indexAt(frame, x, y)] ?? [0, 0, 0];
        const at = ((frame * HEIGHT + y) * WIDTH + x) * 3;
        for (const [channel, value] of color.entries()) error += (value - (pictures[at + channel] ?? 0)) ** 2;
        samples += 3;
      }
    }
  }
  return 10 * Math.log10((255 * 255 * samples) / error);
}

/** The mask extends past the box. At the borders of blocks, 4:2:0 mixes colors in any encoder. */
function isOutside(x: number, y: number): boolean {
  return x < 8 || x > 120 || y < 4 || y > 84;
}
function isWithin(at: number): boolean {
  return at % BLOCK_PIXELS > 1 && at % BLOCK_PIXELS < BLOCK_PIXELS - 2;
}
function isSteady(x: number, y: number): boolean {
  return isOutside(x, y) && isWithin(x) && isWithin(y);
}
function isInside(x: number, y: number): boolean {
  return x > 48 && x < 80 && y > 30 && y < 56;
}

function ticksOf(shownMs: readonly number[]): number[] {
  return shownMs.map((_, frame) => shownMs.slice(0, frame).reduce((sum, ms) => sum + ms, 0));
}

test("an animated GIF becomes a WebM with its frames at their milliseconds, redacted, and nothing else of it stays", async () => {
  answerFrames();
  const video = await queuedGif();
  await runToEnd(video);
  vi.restoreAllMocks();
  expect(await inspectVideo(video)).toMatchObject({
    status: "completed",
    failureCode: null,
    events: ["media.processed"],
    tasks: 0,
    objects: ["detections.00000", "output", "source", "thumbnail"],
  });
  const row = await env.DB.prepare(
    "SELECT file_size_bytes AS bytes, multipart_upload_id AS upload FROM media",
  ).first();
  expect(row).toEqual({ bytes: animation().length, upload: null });
  for (const key of [sourceKey(video), outputKey(video)]) {
    const bytes = await bytesOf(key);
    expect(await timesOf(bytes)).toEqual({ ticks: ticksOf(SHOWN_MS), lastMs: SHOWN_MS.at(-1) });
    expect(new TextDecoder("latin1").decode(bytes)).not.toContain(SECRET);
    expect(new TextDecoder("latin1").decode(bytes)).not.toContain("NETSCAPE");
  }
  const pictures = await picturesOf(await bytesOf(outputKey(video)));
  expect(pictures.length).toBe(DELAYS.length * WIDTH * HEIGHT * 3);
  expect(psnrOf(pictures, DELAYS.length, isSteady)).toBeGreaterThan(LEAST_PSNR);
  expect(psnrOf(pictures, DELAYS.length, isOutside)).toBeGreaterThan(LEAST_PSNR_OF_BORDERS);
  expect(psnrOf(pictures, DELAYS.length, isInside)).toBeLessThan(20);

  const revision = await revise(video, { redact: "none" });
  await runToEnd(revision);
  expect(await inspectVideo(revision)).toMatchObject({ status: "completed" });
  const open = await picturesOf(await bytesOf(outputKey(revision)));
  expect(psnrOf(open, DELAYS.length, (x, y) => isWithin(x) && isWithin(y))).toBeGreaterThan(LEAST_PSNR);
});

test.for([
  [1, 1],
  [3, 2],
  [17, 33],
])("a GIF of %i×%i is completed", async ([width = 1, height = 1]) => {
  answerFrames(undefined, sampleSize({ width, height }), []);
  const picture = (index: number): GifPicture => ({
    rows: Array.from({ length: height }, () => Array.from({ length: width }, () => index)),
    delay: 50,
  });
  const source = writeGif([picture(1), picture(9), picture(4)], { width, height, palette: PALETTE });
  const { accountId } = await createAccount();
  const probed = { widthPixels: width, heightPixels: height, durationSeconds: 1.5 };
  const video = await queuedVideo(accountId, { source, format: "webm", sourceFormat: "gif", probed });
  await runToEnd(video);
  expect(await inspectVideo(video)).toMatchObject({ status: "completed", failureCode: null });
  expect((await timesOf(await bytesOf(outputKey(video)))).ticks).toEqual([0, 500, 1000]);
});

/** The stored source after a first step without faults. */
async function converted(): Promise<Uint8Array> {
  const video = await queuedGif();
  await deliver(video.mediaId, quietBindings());
  const bytes = await bytesOf(sourceKey(video));
  await env.DB.exec("DELETE FROM media");
  return bytes;
}

test("a worker that dies at any call to storage while it converts leaves a GIF or its WebM, and the next goes on", async () => {
  answerFrames();
  const [source, whole] = [animation(), await converted()];
  let isReached = true;
  for (let from = 1; isReached; from++) {
    for (const when of ["before", "after"] as const) {
      const video = await queuedGif(source);
      const { bindings, calls } = faultyBindings(
        quietBindings(),
        (call) => (call >= from ? new Error("The worker was killed.") : undefined),
        when,
      );
      await deliver(video.mediaId, bindings);
      isReached = calls() >= from;
      const left = await bytesOf(sourceKey(video));
      expect([source, whole].some((file) => isSame(file, left))).toBe(true);
      for (let delivery = 0; delivery < 3 && !isSame(await bytesOf(sourceKey(video)), whole); delivery++) {
        vi.setSystemTime(Date.now() + 120_000);
        await settle();
      }
      expect(isSame(await bytesOf(sourceKey(video)), whole)).toBe(true);
      await env.DB.exec("DELETE FROM media");
    }
  }
});

test("a long animation is converted by several invocations, each from where the one before has come", async () => {
  answerFrames(undefined, { width: 8, height: 8 }, []);
  const frames = 1205;
  const pictures = Array.from({ length: frames }, (_, frame): GifPicture => {
    return { rows: [[frame % 16]], left: frame % 8, top: Math.floor(frame / 8) % 8, delay: 2 };
  });
  const palette = PALETTE.map(([level]) => [level, level, level] as const);
  const source = writeGif(pictures, { width: 8, height: 8, palette });
  const { accountId } = await createAccount();
  const probed = { widthPixels: 8, heightPixels: 8, durationSeconds: 24.1 };
  const order = { source, format: "webm", sourceFormat: "gif", probed } as const;
  const video = await queuedVideo(accountId, order);
  const bindings = quietBindings();
  await deliver(video.mediaId, bindings);
  const state = await env.DB.prepare("SELECT status, attempts FROM media").first();
  expect(state).toEqual({ status: "queued", attempts: 0 });
  expect(isSame(await bytesOf(sourceKey(video)), source)).toBe(true);
  await deliver(video.mediaId, bindings);
  expect(await env.DB.prepare("SELECT status FROM media").first()).toEqual({ status: "processing" });
  vi.restoreAllMocks();
  const bytes = await bytesOf(sourceKey(video));
  expect(await timesOf(bytes)).toEqual({
    ticks: Array.from({ length: frames }, (_, frame) => frame * 20),
    lastMs: 20,
  });
  // The last frame shows what the part before it has drawn.
  const all = await picturesOf(bytes);
  const last = all.subarray(-8 * 8 * 3);
  const drawn = (x: number, y: number): number => {
    const past = (frames - 1 - (x + y * 8)) % 64;
    return (frames - 1 - past) % 16;
  };
  for (let pixel = 0; pixel < 64; pixel++) {
    const level = drawn(pixel % 8, Math.floor(pixel / 8)) * 16;
    expect(Math.abs((last[pixel * 3] ?? 0) - level)).toBeLessThan(8);
  }
});

test("an animation with damaged pictures fails at its first try, and leaves nothing but its source", async () => {
  const source = animation();
  const at = source.lastIndexOf(0x2c) + 10;
  source.fill(0xff, at + 40, at + 300);
  const video = await queuedGif(source);
  await runToEnd(video);
  expect(Date.now()).toBe(START_MS);
  expect(await inspectVideo(video)).toMatchObject({
    status: "failed",
    failureCode: "source_undecodable",
    events: ["media.failed"],
    objects: ["source"],
    work: [],
  });
});

test("a media that was deleted while its source was converted leaves nothing behind", async () => {
  const video = await queuedGif();
  const { bindings } = faultyBindings(quietBindings(), async (call) => {
    if (call === DELETED_AT_CALL) await env.DB.prepare("DELETE FROM media").run();
    return undefined;
  });
  const before = await bytesOf(sourceKey(video));
  await deliver(video.mediaId, bindings);
  expect(isSame(await bytesOf(sourceKey(video)), before)).toBe(true);
  expect(await env.MEDIA.head(outputKey(video))).toBeNull();
});

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, at) => byte === b[at]);
}
