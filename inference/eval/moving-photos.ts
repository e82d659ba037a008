import sharp from "sharp";
import type { Region } from "../../src/pixels/redaction/regions/regions.ts";
import { footprintOf } from "../../src/work/video/patches/footprint.ts";
import { DETECTION_FLOOR, isConfirmed } from "../../src/work/video/tracks/confidence.ts";
import type { FrameDetection, FrameSample } from "../../src/work/video/tracks/frame-sample.ts";
import { linkTracks } from "../../src/work/video/tracks/link-tracks.ts";
import { regionsAt, type Track } from "../../src/work/video/tracks/track.ts";
import { CATEGORIES, type Category } from "../src/detections/categories.ts";
import type { Box, Point } from "../src/geometry/box.ts";
import type { Detection } from "../src/detections/detection.ts";
import type { Label, Photo } from "./labels.ts";
import { judgePainted, type PaintedOutcome } from "./painted.ts";
import type { EvaluatedService } from "./service.ts";

const FRAMES_PER_SECOND = 25;
const FRAMES = 50;
/** Frames per request, the same number as the service sends. */
const BATCH_FRAMES = 8;
/** Share of the photo that the camera sees, and the longer side of the video in pixels. */
const VIEW = 0.75;
const LONG_SIDE_PX = 640;

/** Cameras that move across a photo: speed in widths of the camera's view per second, and the distance of analyzed frames. */
export const PANS = [
  { name: "slow", speed: 0.02, everyFrames: 8 },
  { name: "fast", speed: 0.15, everyFrames: 4 },
] as const;

/** The result for one category in one frame. */
export interface FilmedFrame {
  readonly category: Category;
  readonly outcome: PaintedOutcome;
}

type Pan = (typeof PANS)[number];

/** Films a photo, analyzes some frames as those of a video, links the detections to tracks, and judges every frame. */
export async function filmPhoto(photo: Photo, pan: Pan, service: EvaluatedService): Promise<FilmedFrame[]> {
  const { leftAt, top, scale, frameSize } = cameraOver(photo, pan);
  const tracks = await trackPhoto(photo, pan, service);
  return TIMINGS.flatMap((_, frameIndex) => {
    const seen = viewOf(photo, { left: leftAt(frameIndex), top, scale }, frameSize);
    const regions = regionsAt(tracks, frameIndex, seen);
    return askedOf(photo).flatMap((category) => {
      const placed = regions
        .filter((region) => region.category === category)
        .map((region) => ({ region, bounds: boundsOf(region, seen) }));
      const outcome = judgePainted(seen, category, { placed, maskOf: (some) => maskOf(some, seen) });
      return outcome === undefined ? [] : [{ category, outcome }];
    });
  });
}

/** Films a photo and links the detections of the categories with every instance labeled. */
export async function trackPhoto(photo: Photo, pan: Pan, service: EvaluatedService): Promise<Track[]> {
  const { leftAt, top, width, height, frameSize } = cameraOver(photo, pan);
  const indices = Array.from({ length: Math.ceil(FRAMES / pan.everyFrames) }, (_, i) => i * pan.everyFrames);
  const frames = await Promise.all(
    indices.map(async (frameIndex) => {
      const view = sharp(photo.path).extract({ left: leftAt(frameIndex), top, width, height });
      return await view.resize(frameSize).jpeg({ quality: 90 }).toBuffer();
    }),
  );
  const samples: FrameSample[] = [];
  for (let first = 0; first < frames.length; first += BATCH_FRAMES) {
    const batch = frames.slice(first, first + BATCH_FRAMES);
    const found = await service.findInFrames(batch, askedOf(photo), DETECTION_FLOOR);
    for (const [index, detections] of found.entries()) {
      samples.push({ frameIndex: indices[first + index] ?? 0, detections: detections.map(detectionOf) });
    }
  }
  return linkTracks(samples, [], TIMINGS);
}

const TIMINGS = Array.from({ length: FRAMES }, (_, i) => ({ timestampSeconds: i / FRAMES_PER_SECOND }));

function askedOf(photo: Photo): Category[] {
  return CATEGORIES.filter((name) => photo.completeFor.has(name));
}

/** The camera's view in pixels of the photo, and the size of its frames in pixels. */
function cameraOver(photo: Photo, { speed }: Pan) {
  const width = Math.floor(photo.width * VIEW);
  const height = Math.floor(photo.height * VIEW);
  const scale = LONG_SIDE_PX / Math.max(width, height);
  return {
    width,
    height,
    top: Math.floor((photo.height - height) / 2),
    leftAt: (frame: number): number =>
      Math.round(Math.min(photo.width - width, (frame / FRAMES_PER_SECOND) * speed * width)),
    scale,
    frameSize: { width: Math.round(width * scale), height: Math.round(height * scale) },
  };
}

/** The part of a photo that a camera sees, as a photo. Instances that the frame cuts are ignored. */
function viewOf(
  photo: Photo,
  { left, top, scale }: { left: number; top: number; scale: number },
  { width, height }: { width: number; height: number },
): Photo {
  const place = ([x, y]: Point): Point => [(x - left) * scale, (y - top) * scale];
  const labels = photo.labels.map(({ category, bounds, quad, isIgnored }): Label => {
    const [x0, y0] = place([bounds.left, bounds.top]);
    const [x1, y1] = place([bounds.right, bounds.bottom]);
    const isCut = x0 < 0 || y0 < 0 || x1 > width || y1 > height;
    return {
      category,
      bounds: { left: x0, top: y0, right: x1, bottom: y1 },
      quad: quad?.map(place),
      isIgnored: isIgnored || isCut,
    };
  });
  return { ...photo, width, height, labels };
}

function boundsOf({ box: [x, y, across, down] }: Region, { width, height }: Photo): Box {
  return {
    left: x * width,
    top: y * height,
    right: (x + across) * width,
    bottom: (y + down) * height,
  };
}

/** The pixels of a frame that patches hide, in whole blocks of 2 × 2 pixels: one byte per pixel, 1 if hidden. */
function maskOf(regions: readonly Region[], { width, height }: Photo): Uint8Array {
  const mask = new Uint8Array(width * height);
  for (const region of regions) {
    const footprint = footprintOf(region, width, height);
    if (footprint === undefined) continue;
    for (let row = footprint.top; row < Math.min(height, footprint.bottom); row += 2) {
      const [first, end] = row < 0 ? [0, 0] : (footprint.columnsAt(row) ?? [0, 0]);
      for (let y = row; y < Math.min(height, row + 2); y += 1) {
        if (end > first) mask.fill(1, y * width + first, y * width + end);
      }
    }
  }
  return mask;
}

function detectionOf({ category, confidence, box, polygon, secondLook }: Detection): FrameDetection {
  const sides = [box.left, box.top, box.right - box.left, box.bottom - box.top] as const;
  const confirmed =
    secondLook === undefined
      ? undefined
      : isConfirmed(secondLook, { sensitivity: "normal", minConfidence: undefined });
  return { category, confidence, box: sides, polygon, confirmed };
}
