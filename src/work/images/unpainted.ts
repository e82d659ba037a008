import { seenPlacesOf } from "../../records/masking/found-detections.ts";
import { ANYTHING } from "../../records/masking/masking-options.ts";
import type { SeenPlace, StoredDetection } from "../../records/media/detections.ts";
import { isGathered, outlineOf } from "../../records/verification/judge-photo.ts";
import { isSameDetail, readDetail, type OutlineDetail, type Region } from "../../pixels/redaction/index.ts";
import type { StoredPhoto } from "./stored-photo.ts";

/**
 * The hidden detections at whose places an output still shows the detail of its source. It depends neither on a detector nor on what the
 * records say was painted.
 *
 * @throws RedactionError or JobError
 */
export async function unpaintedIn(
  output: StoredPhoto,
  { source, detections }: { readonly source: StoredPhoto; readonly detections: readonly StoredDetection[] },
): Promise<readonly StoredDetection[]> {
  const places = detections
    .filter(({ isOpen }) => isOpen !== true)
    .flatMap((thing) => placesOf(thing).map(({ box, polygon }) => ({ thing, box, polygon })));
  if (places.length === 0) return [];
  const outlines = places.map(({ thing, box, polygon }) =>
    outlineOf({ category: thing.category ?? ANYTHING, box, polygon }),
  );
  // A WebP is whole in memory, so the pictures are read one after the other.
  const before = await detailOf(source, outlines);
  const after = await detailOf(output, outlines);
  const unpainted = places.filter((_place, index) => isSameDetail(before[index] ?? [], after[index] ?? []));
  return [...new Set(unpainted.map(({ thing }) => thing))];
}

/** Where a detection must be painted. The box of one that combines many separate ones is mostly not. */
function placesOf(thing: StoredDetection): readonly SeenPlace[] {
  return isGathered(thing) ? seenPlacesOf(thing) : [thing, ...seenPlacesOf(thing)];
}

async function detailOf(photo: StoredPhoto, outlines: readonly Region[]): Promise<readonly OutlineDetail[]> {
  return await photo.reads.unlessBroken(async () => await readDetail(photo, outlines));
}
