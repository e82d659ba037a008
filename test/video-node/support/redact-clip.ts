import { categoriesOfCode, confidenceOfCode } from "../../../inference/src/codes/formats.ts";
import { codePictureOf } from "../../../inference/src/codes/passes.ts";
import { readCodes } from "../../../inference/src/codes/read.ts";
import { boundsOf, clipPointToUnit } from "../../../inference/src/geometry/box.ts";
import { coarseFrameOf, type CoarseFrame } from "../../../src/work/video/sampling/coarse-frame.ts";
import type { RedactionMethod } from "../../../src/ground/vocabulary/media-values.ts";
import { PatchPainter } from "../../../src/work/video/patches/patch-painter.ts";
import type { FrameDetection, FrameSample } from "../../../src/work/video/tracks/frame-sample.ts";
import { signatureOf } from "../../../src/work/video/sampling/frame-signature.ts";
import { linkTracks } from "../../../src/work/video/tracks/link-tracks.ts";
import { SamplingPlan } from "../../../src/work/video/sampling/sampling-plan.ts";
import { CutDetector } from "../../../src/work/video/sampling/scene-cuts.ts";
import { regionsAt, type Track } from "../../../src/work/video/tracks/track.ts";
import type { ComposedFrame, Script } from "../../video/compose/clip.ts";
import { composeFrame } from "../../video/compose/compose.ts";
import { type CountReadable, Judge, type Verdict } from "../../video/compose/judge.ts";
import { readLuma } from "./qr-codes.ts";

/** The inference service's own code reader as a detector. */
async function detectCodes(luma: Uint8Array, width: number, height: number): Promise<FrameDetection[]> {
  const picture = codePictureOf({ width, height, pixels: luma });
  const matrix = await Promise.all([
    readCodes(picture, "dataMatrixAndLinear"),
    readCodes(picture, "otherMatrix"),
  ]);
  return matrix
    .flat()
    .filter(({ symbology }) => categoriesOfCode(symbology).includes("qr_codes"))
    .map((code) => {
      const polygon = code.corners.map(clipPointToUnit);
      const { left, top, right, bottom } = boundsOf(polygon);
      const box = [left, top, right - left, bottom - top] as const;
      return { category: "qr_codes", confidence: confidenceOfCode(code), box, polygon };
    });
}

/** The judge's decoder, which tries harder than the detector. */
export const countReadable: CountReadable = async (luma, width, height) => {
  const results = await readLuma(luma, width, height, { formats: ["QRCode"], tryHarder: true });
  return results.length;
};

/** A frame at an eighth of its size by means of areas, as from ffmpeg's area scaler. */
export function coarseOf(planes: Uint8Array, width: number, height: number): CoarseFrame {
  const [coarseWidth, coarseHeight] = [Math.ceil(width / 8), Math.ceil(height / 8)];
  const [chromaWidth, chromaHeight] = [Math.ceil(width / 2), Math.ceil(height / 2)];
  const blue = width * height;
  const red = blue + chromaWidth * chromaHeight;
  const [columns, rows] = [Math.ceil(coarseWidth / 2), Math.ceil(coarseHeight / 2)];
  return coarseFrameOf(
    Uint8Array.from([
      ...shrunk(planes, width, height, coarseWidth, coarseHeight),
      ...shrunk(planes.subarray(blue, red), chromaWidth, chromaHeight, columns, rows),
      ...shrunk(planes.subarray(red), chromaWidth, chromaHeight, columns, rows),
    ]),
    coarseWidth,
    coarseHeight,
  );
}

function shrunk(plane: Uint8Array, width: number, height: number, columns: number, rows: number): Uint8Array {
  const means = new Uint8Array(columns * rows);
  for (let row = 0; row < rows; row++) {
    const [top, bottom] = [Math.floor((row * height) / rows), Math.ceil(((row + 1) * height) / rows)];
    for (let column = 0; column < columns; column++) {
      const [left, right] = [
        Math.floor((column * width) / columns),
        Math.ceil(((column + 1) * width) / columns),
      ];
      let sum = 0;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) sum += plane[y * width + x] as number;
      }
      means[row * columns + column] = Math.round(sum / ((bottom - top) * (right - left)));
    }
  }
  return means;
}

/** A clip's frames and their analysis. */
export interface AnalysedClip {
  readonly script: Script;
  readonly frames: readonly ComposedFrame[];
  readonly tracks: readonly Track[];
  readonly cuts: readonly number[];
  readonly samples: readonly FrameSample[];
}

/** Analyzes a clip's frames in order (cuts, samples, codes) and links the detections. */
export async function analyseClip(script: Script): Promise<AnalysedClip> {
  const { width, height, timestampsSeconds } = script;
  const cutDetector = new CutDetector();
  const plan = new SamplingPlan();
  const frames: ComposedFrame[] = [];
  const cuts: number[] = [];
  const samples: FrameSample[] = [];
  const decisions: boolean[] = [];
  for (const [frameIndex, timestampSeconds] of timestampsSeconds.entries()) {
    const frame = composeFrame(script, frameIndex);
    const coarse = coarseOf(frame.planes, width, height);
    frames.push(frame);
    cuts.push(...cutDetector.push(frameIndex, signatureOf(coarse)));
    decisions.push(...plan.decide({ coarse, timestampSeconds }));
  }
  decisions.push(...plan.finish());
  for (const [frameIndex, frame] of frames.entries()) {
    if (decisions[frameIndex] !== true) continue;
    samples.push({ frameIndex, detections: await detectCodes(frame.planes, width, height) });
  }
  cuts.push(...cutDetector.finish());
  const timings = timestampsSeconds.map((timestampSeconds) => ({ timestampSeconds }));
  return { script, frames, tracks: linkTracks(samples, cuts, timings), cuts, samples };
}

/** Paints a clip's tracks over its frames and judges the result. */
export async function judgeClip(clip: AnalysedClip, method: RedactionMethod): Promise<Verdict> {
  const { script, frames, tracks, cuts } = clip;
  const { width, height, timestampsSeconds } = script;
  const judge = new Judge(countReadable);
  const painter = new PatchPainter({ width, height, method });
  for (const [index, source] of frames.entries()) {
    const { data } = painter.paint({
      regions: regionsAt(tracks, index, script),
      coarse: coarseOf(source.planes, width, height),
      timestampSeconds: timestampsSeconds[index] ?? 0,
      isCut: cuts.includes(index),
    });
    const alpha = data.subarray(data.length - width * height);
    const luma = source.planes.slice(0, width * height);
    const masked = new Uint8Array(width * height);
    for (const [at, opacity] of alpha.entries()) {
      if (opacity === 0) continue;
      masked[at] = 1;
      luma[at] = data[at] as number;
    }
    await judge.look({ source, luma, masked, width, height });
  }
  return judge.verdict;
}
