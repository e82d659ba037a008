import { isHiddenByChoice } from "../masking/detection-choice.ts";
import type { StoredDetection } from "../media/detections.ts";
import type { RevisionOrder } from "./revision.schemas.ts";

/** The ids that an order names and that are none of these detections'. */
export function unknownIds(
  { redact, except }: RevisionOrder,
  detections: readonly Pick<StoredDetection, "id">[],
): { readonly redact: string[]; readonly except: string[] } {
  const known = new Set(detections.map(({ id }) => id));
  const unknown = (ids: readonly string[]): string[] => ids.filter((id) => !known.has(id));
  return { redact: typeof redact === "string" ? [] : unknown(redact), except: unknown(except) };
}

/** The detections with what the order hides hidden, and everything else open. */
export function chooseDetections(
  order: RevisionOrder,
  detections: readonly StoredDetection[],
): StoredDetection[] {
  const isHidden = isHiddenByChoice(order);
  const choose = (thing: StoredDetection): StoredDetection => ({
    ...thing,
    isOpen: isHidden(thing) ? undefined : true,
  });
  return detections.map(choose);
}
