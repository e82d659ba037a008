import { writtenBox, type PixelSize, type WrittenBox } from "../../pixels/geometry/box.ts";
import { shownBox, swapsSides } from "../../pixels/geometry/orientation.ts";
import { findInspected } from "../../records/masking/photo-detections.repository.ts";
import type { MediaOwnership } from "../../records/media/media.repository.ts";
import { noSuchMedia } from "../../records/media/media.service.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { timedFramesOf } from "../../work/video/steps/timed-frames.ts";
import { loadStoredPlan } from "../../work/video/tasks/step-context.ts";
import { areaOf } from "../../work/video/tasks/video-plan.ts";
import { fromStored } from "./revisable.ts";

/** An area in shares of the whole picture, and the picture's size in pixels. */
interface ShownPart extends WrittenBox {
  readonly whole: PixelSize;
}

/**
 * Which part of a video's frames its container shows, in shares of the whole frame as a viewer sees it. Browsers play the whole
 * frame.
 *
 * @throws VeilError 404 if the account has no such video, 409 if nothing of it is stored
 */
export async function shownPartOf(
  config: Pick<ApiEnv, "DB" | "MEDIA">,
  owned: MediaOwnership,
): Promise<ShownPart> {
  const inspected = await findInspected(openDatabase(config.DB, "primary"), owned);
  if (inspected?.row.mediaType !== "video" || inspected.source === null) throw noSuchMedia();
  const analysis = { accountId: owned.accountId, mediaId: inspected.analysisId };
  const plan = await fromStored(owned.mediaId, async () => await loadStoredPlan(config.MEDIA, analysis));
  const { left, top, width, height, codedWidth, codedHeight } = areaOf(plan);
  const { orientation } = timedFramesOf(plan);
  const [wholeWidth, wholeHeight] = swapsSides(orientation)
    ? [codedHeight, codedWidth]
    : [codedWidth, codedHeight];
  const shown = shownBox(
    [left / codedWidth, top / codedHeight, width / codedWidth, height / codedHeight],
    orientation,
  );
  return { ...writtenBox(shown), whole: { width: wholeWidth, height: wholeHeight } };
}
