import type { Sharp } from "sharp";
import { expect } from "vitest";
import type { Script } from "../video/compose/clip.ts";
import { call, type Media } from "./client.ts";
import { VIDEO_TRACES, decodeVideo, judgeOutput, packetsOf } from "./videos.ts";

const MOST_BARE_SHARE = 0.03;
const LEAST_PSNR = 38;
const MOST_GROWTH = 2.5;

/** Camera metadata in the files of `withTraces`, which no output may contain. */
const PHOTO_TRACES = ["Camera of the test", "Somebody", "GPS"];

/** A picture with camera metadata. */
export function withTraces(picture: Sharp): Sharp {
  return picture.clone().withExif({
    IFD0: { Make: "Camera of the test", Artist: "Somebody" },
    IFD3: { GPSLatitudeRef: "N", GPSLatitude: "52/1 31/1 12/1" },
  });
}

/** Expects that a photo's output contains no camera metadata. */
export function expectNoTracesOfCamera(output: Buffer): void {
  for (const trace of PHOTO_TRACES) expect(output.includes(Buffer.from(trace))).toBe(false);
}

/** Expects that no code can be read in a video's output, and that the rest of the pictures, the times and the sound are unchanged. */
export async function expectCodesHidden(
  script: Script,
  { source, output, filename }: { source: Uint8Array; output: Buffer; filename: string },
): Promise<{ truthPixels: number; maskedPixels: number }> {
  const before = await decodeVideo(source, filename);
  const verdict = await judgeOutput(script, before, await decodeVideo(output, filename));
  expect(verdict.framesDecoded).toBe(script.timestampsSeconds.length);
  expect(verdict.readableFrames).toEqual([]);
  expect(verdict.bareFrames.length).toBeLessThanOrEqual(MOST_BARE_SHARE * verdict.frames);
  expect(verdict.psnrOutside).toBeGreaterThan(LEAST_PSNR);
  expect(output.length).toBeLessThan(MOST_GROWTH * source.length);

  const [from, to] = [await packetsOf(source, filename), await packetsOf(output, filename)];
  expect(to.streams.length).toBe(2);
  expect(to.streams[0]?.presentationTicks).toEqual(from.streams[0]?.presentationTicks);
  expect(to.streams[1]).toEqual(from.streams[1]);
  for (const trace of VIDEO_TRACES) expect(output.includes(trace)).toBe(false);
  expect(output.indexOf("moov")).toBeLessThan(output.indexOf("mdat"));
  return verdict;
}

/** A file that a download gives, and the name of its contents. */
export interface Downloaded {
  readonly bytes: Buffer;
  readonly etag: string;
}

async function get(path: string, headers: Record<string, string> = {}, method = "GET"): Promise<Response> {
  return await call(path, { method, headers });
}

/**
 * Downloads a media item's output as a whole and in ranges, and expects the same bytes. A range request with another file's tag must not
 * get a part of this file.
 */
export async function downloadEveryWay(media: Media, others: readonly Downloaded[]): Promise<Downloaded> {
  const path = `/media/${media.id}/download`;
  const whole = await get(path);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const etag = whole.headers.get("ETag") ?? "";
  const head = await get(path, {}, "HEAD");
  expect([head.status, head.headers.get("ETag"), Number(head.headers.get("Content-Length"))]).toEqual([
    200,
    etag,
    bytes.length,
  ]);
  expect((await head.arrayBuffer()).byteLength).toBe(0);
  const middle = Math.floor(bytes.length / 2);
  const ranges = await Promise.all(
    [`bytes=0-${middle - 1}`, `bytes=${middle}-`].map(async (Range) => await get(path, { Range })),
  );
  expect(ranges.map(({ status }) => status)).toEqual([206, 206]);
  const parts = await Promise.all(ranges.map(async (range) => Buffer.from(await range.arrayBuffer())));
  expect(Buffer.concat(parts).equals(bytes)).toBe(true);
  for (const other of others) {
    const isSame = other.bytes.equals(bytes);
    expect(etag === other.etag).toBe(isSame);
    if (isSame) continue;
    // A client with the beginning of another file gets this file completely instead of its end.
    const resumed = await get(path, { Range: `bytes=${middle}-`, "If-Range": other.etag });
    expect(resumed.status).toBe(200);
    expect(Buffer.from(await resumed.arrayBuffer()).equals(bytes)).toBe(true);
    const cached = await get(path, { "If-None-Match": other.etag });
    expect(cached.status).toBe(200);
    await cached.arrayBuffer();
  }
  return { bytes, etag };
}
