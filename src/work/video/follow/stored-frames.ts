import type { PixelSize } from "../../../pixels/geometry/box.ts";
import type { MediaOwnership } from "../../../records/media/media.repository.ts";
import { coarseFrameOf, yuv420Bytes, type CoarseFrame } from "../sampling/coarse-frame.ts";
import { coarseSize } from "../sampling/frame-sizes.ts";
import { packedPieces } from "../tasks/packed-pieces.ts";
import type { KeptWork } from "../../../records/video-tasks/kept-work.ts";
import { PieceRanges } from "../../../records/video-tasks/pieces.ts";
import type { VideoPlan } from "../tasks/video-plan.ts";
import { COARSE_NAME, segmentName, workKey } from "../../../records/video-tasks/video.objects.ts";

/** The coarse frames of a completed video, readable in any order as long as its source is stored. */
export class StoredFrames {
  readonly #segmentOf: (frame: number) => PieceRanges;
  readonly #plan: VideoPlan;
  readonly #size: PixelSize;

  constructor(
    bucket: R2Bucket,
    owned: MediaOwnership,
    { plan, kept }: { readonly plan: VideoPlan; readonly kept: KeptWork },
  ) {
    this.#plan = plan;
    this.#size = coarseSize({ width: plan.widthPixels, height: plan.heightPixels });
    let read: { readonly segment: number; readonly ranges: PieceRanges } | undefined;
    this.#segmentOf = (frame) => {
      const segment = segmentAt(plan, frame);
      if (read?.segment !== segment) {
        const folder = segmentName("analyse", segment, kept.attempts[segment] ?? 0);
        const pieces = packedPieces(bucket, workKey(owned, `${folder}/${COARSE_NAME}`));
        read = { segment, ranges: new PieceRanges(pieces) };
      }
      return read.ranges;
    };
  }

  /** Returns a frame by its number. @throws when it is not stored */
  async at(frame: number): Promise<CoarseFrame> {
    const { width, height } = this.#size;
    const sizeBytes = yuv420Bytes(width, height);
    const first = this.#plan.segments[segmentAt(this.#plan, frame)]?.firstFrame ?? 0;
    const bytes = await this.#segmentOf(frame).read((frame - first) * sizeBytes, sizeBytes);
    return coarseFrameOf(bytes, width, height);
  }
}

function segmentAt({ segments }: VideoPlan, frame: number): number {
  return segments.findLastIndex(({ firstFrame }) => firstFrame <= frame);
}
