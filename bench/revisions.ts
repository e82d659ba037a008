/**
 * Measures how long a person waits after "Apply". Compares revisions of a video and of a photo with their first runs, as a
 * polling client sees them. Also measures the storage that they take and how fast thousands of tracks are listed. One media
 * item is in flight at a time.
 */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import sharp from "sharp";
import { z } from "zod";
import { revise, untilFinal, upload, type ApiAccess } from "./lib/client.ts";
import { filmStreet } from "./lib/clips.ts";
import { drawStreet } from "./lib/pictures.ts";
import { atMost, progress, reported, runBenchmark } from "./lib/report.ts";
import { withService, type BenchService } from "./lib/service.ts";
import { median, rounded } from "./lib/statistics.ts";

const CATEGORIES = ["heads", "license_plates", "qr_codes"];
const VIDEO = { width: 1280, height: 720, seconds: 10 };
const VIDEO_ROUNDS = 3;
const PHOTO = { width: 4000, height: 3000 };
const PHOTO_ROUNDS = 7;
const TRACKS = 2_000;
const TRACKS_A_REVISION = 500;
const LIST_ROUNDS = 20;
const SHARE_LIMIT = 0.6;
const PHOTO_LIMIT_MS = 1_500;
const LIST_LIMIT_MS = 300;
const CLEAN_UP_MS = 3_000;
const REGION = { category: "documents", box: { x: 0.4, y: 0.4, width: 0.2, height: 0.2 } };
const listSchema = z.object({ detections: z.array(z.object({ id: z.string() })) });

await runBenchmark(import.meta.filename, async () => {
  progress("revisions: filming and drawing");
  const clip = await filmStreet(VIDEO);
  const photo = Buffer.from(await drawStreet({ ...PHOTO, seed: 1 }));
  const small = await filmStreet({ width: 320, height: 180, seconds: 2 });
  const { video, photos, lists } = await withService(async (service) => {
    const measured = { video: await measureVideo(service, clip), photos: await measurePhoto(service, photo) };
    return { ...measured, lists: await measureLists(service, small) };
  });
  const firstMs = median(video.map((run) => run.firstMs));
  const revisionMs = median(video.map((run) => run.revisionMs));
  const photoMs = median(photos.map((run) => run.revisionMs));
  const referenceMs = median(photos.map((run) => run.referenceMs));
  return {
    findings: [
      atMost(SHARE_LIMIT, {
        claim:
          "A revision of a video of 10 s at 1280×720 is ready in at most 60 % of the time of its first run",
        unit: "times the first run",
        measured: rounded(revisionMs / firstMs),
      }),
      atMost(PHOTO_LIMIT_MS, {
        claim: "A revision of a photo of 12 megapixels is ready in less than 1.5 s",
        unit: "ms",
        measured: rounded(photoMs, 0),
      }),
      reported({
        claim:
          "The same as a multiple of reading the photo and writing it anew with libvips, in the same run",
        unit: "times",
        measured: rounded(photoMs / referenceMs),
      }),
      atMost(LIST_LIMIT_MS, {
        claim: "The detections of a video with 2,000 tracks, median",
        unit: "ms",
        measured: rounded(median(lists.latenciesMs), 0),
      }),
      reported({
        claim: "Stored for revisions of a minute of video at 1280×720 and 30 fps, beside source and output",
        unit: "MB",
        measured: rounded((median(video.map((run) => run.keptBytes)) * 60) / VIDEO.seconds / 1e6, 1),
      }),
    ],
    details: {
      video,
      photos,
      lists: { ...lists, latenciesMs: lists.latenciesMs.map((ms) => rounded(ms, 0)) },
    },
  };
});

interface VideoRun {
  readonly firstMs: number;
  readonly revisionMs: number;
  readonly keptBytes: number;
}

/** Alternates a first run and a revision, after one warm-up of each that does not count. */
async function measureVideo(service: BenchService, file: Uint8Array<ArrayBuffer>): Promise<VideoRun[]> {
  const runs: VideoRun[] = [];
  for (let round = 0; round <= VIDEO_ROUNDS; round++) {
    progress(`revisions: video, round ${round} of ${VIDEO_ROUNDS}`);
    await delay(CLEAN_UP_MS);
    const storedBefore = await storedBytes(service);
    let mediaId = "";
    const firstMs = await timed(service, async () => {
      mediaId = await upload(service, { file, filename: "street.mp4", categories: CATEGORIES });
      return mediaId;
    });
    // The service deletes the steps' stored objects only after the client sees the video completed.
    await delay(CLEAN_UP_MS);
    const stored = (await storedBytes(service)) - storedBefore;
    const outputBytes = await downloadedBytes(service, mediaId);
    const revisionMs = await timed(
      service,
      async () => await revise(service, mediaId, { redact: "none", regions: [REGION] }),
    );
    const keptBytes = stored - file.length - outputBytes;
    if (round > 0) runs.push({ firstMs: rounded(firstMs, 0), revisionMs: rounded(revisionMs, 0), keptBytes });
  }
  return runs;
}

async function measurePhoto(service: BenchService, file: Buffer<ArrayBuffer>) {
  const mediaId = await upload(service, { file, categories: CATEGORIES });
  await expectCompleted(service, mediaId);
  const runs: { revisionMs: number; referenceMs: number }[] = [];
  for (let round = 0; round <= PHOTO_ROUNDS; round++) {
    progress(`revisions: photo, round ${round} of ${PHOTO_ROUNDS}`);
    const revisionMs = await timed(
      service,
      async () => await revise(service, mediaId, { redact: "all", regions: [REGION] }),
    );
    const startedAtMs = performance.now();
    await sharp(file).jpeg({ quality: 92 }).toBuffer();
    const referenceMs = performance.now() - startedAtMs;
    if (round > 0) runs.push({ revisionMs: rounded(revisionMs, 0), referenceMs: rounded(referenceMs, 0) });
  }
  return runs;
}

/** Adds moving regions, each of which is a track. Each revision of a revision adds more of them. */
async function measureLists(service: BenchService, file: Uint8Array<ArrayBuffer>) {
  progress(`revisions: ${TRACKS} tracks`);
  const fields = { detect_only: "true" };
  let mediaId = await upload(service, { file, filename: "small.mp4", categories: ["qr_codes"], fields });
  await expectCompleted(service, mediaId);
  const regions = Array.from({ length: TRACKS_A_REVISION }, (_none, index) => movingRegion(index));
  for (let tracks = 0; tracks < TRACKS; tracks += TRACKS_A_REVISION) {
    mediaId = await revise(service, mediaId, { redact: "none", regions });
    await expectCompleted(service, mediaId);
  }
  const latenciesMs: number[] = [];
  let sizeBytes = 0;
  for (let round = 0; round <= LIST_ROUNDS; round++) {
    const startedAtMs = performance.now();
    const response = await fetch(`${service.baseUrl}/media/${mediaId}/detections`, {
      headers: keyOf(service),
    });
    const text = await response.text();
    if (round > 0) latenciesMs.push(performance.now() - startedAtMs);
    const { detections } = listSchema.parse(JSON.parse(text));
    if (detections.length < TRACKS) throw new Error(`${detections.length} tracks are listed.`);
    sizeBytes = text.length;
  }
  return { tracks: TRACKS, sizeBytes, latenciesMs };
}

function movingRegion(index: number): object {
  const x = (index % 25) / 30;
  const y = Math.floor(index / 25) / 25;
  const keyframes = Array.from({ length: 10 }, (_none, key) => ({
    time_seconds: key / 5,
    box: { x: x + (key % 2) / 20, y, width: 0.02, height: 0.02 },
  }));
  return { category: "heads", keyframes };
}

/** Returns the milliseconds from a request until the media item that it creates is completed. */
async function timed(service: ApiAccess, request: () => Promise<string>): Promise<number> {
  const startedAtMs = performance.now();
  await expectCompleted(service, await request());
  return performance.now() - startedAtMs;
}

async function expectCompleted(service: ApiAccess, mediaId: string): Promise<void> {
  const status = await untilFinal(service, mediaId);
  if (status !== "completed") throw new Error(`The media ${mediaId} ended ${status}.`);
}

function keyOf({ apiKey }: ApiAccess): Record<string, string> {
  return { Authorization: `Bearer ${apiKey}` };
}

async function downloadedBytes(service: ApiAccess, mediaId: string): Promise<number> {
  const response = await fetch(`${service.baseUrl}/media/${mediaId}/download`, { headers: keyOf(service) });
  return (await response.arrayBuffer()).byteLength;
}

/** Returns the total bytes of all objects that the service stores. */
async function storedBytes({ folder }: BenchService): Promise<number> {
  const root = join(folder, "state");
  const names = await readdir(root, { recursive: true });
  const blobs = names.filter((name) => /[/\\]r2[/\\].*blobs[/\\]/.test(name));
  // A file that was deleted in the meantime has no size.
  const sizes = await Promise.all(
    blobs.map(
      async (name) =>
        await stat(join(root, name)).then(
          ({ size }) => size,
          () => 0,
        ),
    ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
