import { z } from "zod";
import { isIgnored } from "../masking/found-detections.ts";
import type { RequestedRegion } from "../masking/masking-options.ts";
import type { InspectedMedia } from "../masking/photo-detections.repository.ts";
import { cornersOf, readBox, type Point, type Polygon } from "../../pixels/geometry/box.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import type { DetectionResponse } from "../media-api/detections.schemas.ts";
import { shownDetection } from "../media-api/shown-detections.ts";
import { listedDetections } from "../video-tasks/listed-detections.ts";
import { reasonOf } from "./report-parts.ts";
import { isRequestedWith } from "../masking/detection-ids.ts";
import type { ReportedVersion } from "./report.repository.ts";

/** A detection as a report lists it. */
export interface ReportedDetection {
  readonly detection: DetectionResponse;
  readonly by: string | null;
  readonly reason: string | null;
}

/** A completed media item whose detections are reported. */
export interface DetectionsSubject {
  readonly inspected: InspectedMedia;
  readonly deciders: Deciders;
  /** Regions that the upload asked to leave visible, in the picture as a viewer shows it. */
  readonly ignoreRegions: readonly RequestedRegion[];
}

const boxSchema = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
const videoPlaceSchema = z.object({
  box: boxSchema,
  start_seconds: z.number(),
  end_seconds: z.number(),
  keyframes: z.array(z.object({ time_seconds: z.number(), box: boxSchema })),
});

/** The detections of a media item one at a time, so that a video with thousands of tracks takes no more memory than one. */
export async function* reportedDetections(
  bucket: R2Bucket,
  { inspected, deciders, ignoreRegions }: DetectionsSubject,
): AsyncGenerator<ReportedDetection, void, undefined> {
  const outlines = ignoreRegions.map(({ box, polygon }) => polygon ?? cornersOf(box));
  for await (const { detection, isHiddenByDefault } of detectionsOf(bucket, inspected)) {
    const { id, origin, redacted: isHidden } = detection;
    const decided = { id, origin, isHidden, isHiddenByDefault, isIgnored: isInside(detection, outlines) };
    yield { detection, by: decidedBy(decided, deciders), reason: reasonOf(detection) };
  }
}

interface FoundDetection {
  readonly detection: DetectionResponse;
  readonly isHiddenByDefault: boolean | undefined;
}

async function* detectionsOf(
  bucket: R2Bucket,
  { row, analysisId, found }: InspectedMedia,
): AsyncGenerator<FoundDetection, void, undefined> {
  if (row.mediaType === "image") {
    for (const thing of found?.detections ?? [])
      yield {
        detection: shownDetection(thing, found ?? { orientation: 1 }),
        isHiddenByDefault: thing.isOpenByDefault !== true,
      };
    return;
  }
  const owned = { accountId: row.accountId, mediaId: row.id };
  const hiddenIds =
    analysisId === row.id ? undefined : await hiddenIdsOf(bucket, { ...owned, mediaId: analysisId });
  for await (const listed of listedDetections(bucket, owned)) {
    const detection = { ...listed, ...videoPlaceSchema.parse(listed) };
    const isHiddenByDefault = analysisId === row.id ? detection.redacted : hiddenIds?.has(detection.id);
    yield { detection, isHiddenByDefault };
  }
}

/** The IDs of the detections that an analysis hides by default; undefined if its list is deleted. */
async function hiddenIdsOf(bucket: R2Bucket, analysis: MediaOwnership): Promise<Set<string> | undefined> {
  const ids = new Set<string>();
  let isStored = false;
  for await (const { id, redacted } of listedDetections(bucket, analysis)) {
    isStored = true;
    if (redacted) ids.add(id);
  }
  return isStored ? ids : undefined;
}

function isInside(
  { box, polygon }: Pick<DetectionResponse, "box" | "polygon">,
  outlines: readonly Polygon[],
): boolean {
  const corners = polygon?.map(([u = 0, v = 0]): Point => [u, v]);
  return outlines.length > 0 && isIgnored({ box: readBox(box), polygon: corners }, outlines);
}

/** The versions of a file that decide what is hidden. */
interface Deciders {
  /** The upload, which may have been deleted. */
  readonly firstId: string;
  /** The version that is reported. */
  readonly mediaId: string;
  readonly versions: readonly Pick<ReportedVersion, "id" | "kind" | "madeBy">[];
}

/** A detection, and whether the analysis alone would have hidden it. */
interface DecidedDetection {
  readonly id: string;
  readonly origin: "detector" | "request";
  readonly isHidden: boolean;
  /** Undefined if the analysis is deleted. */
  readonly isHiddenByDefault: boolean | undefined;
  /** Whether it lies in a region that the upload asked to leave visible. */
  readonly isIgnored: boolean;
}

/** Who decided that a detection is hidden or visible: `detector`, `request`, or a member's ID. Null if it is not known. */
function decidedBy(detection: DecidedDetection, deciders: Deciders): string | null {
  const { origin, isHidden, isHiddenByDefault } = detection;
  if (origin === "request") return isHidden ? requesterOf(detection, deciders) : makerOf(deciders);
  if (isHiddenByDefault === undefined) return null;
  if (isHidden !== isHiddenByDefault) return makerOf(deciders);
  return detection.isIgnored && !isHidden ? "request" : "detector";
}

function makerOf({ mediaId, versions }: Deciders): string | null {
  return versions.find(({ id }) => id === mediaId)?.madeBy ?? null;
}

function requesterOf({ id: detectionId }: DecidedDetection, { firstId, versions }: Deciders): string | null {
  const version = versions.find(({ id }) => isRequestedWith({ mediaId: id }, detectionId));
  // A retry repeats what the upload asked for.
  if (version?.kind === "retry") return "request";
  if (version !== undefined) return version.madeBy;
  return isRequestedWith({ mediaId: firstId }, detectionId) ? "request" : null;
}
