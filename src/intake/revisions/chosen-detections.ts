import { isHiddenByChoice } from "../../records/masking/detection-choice.ts";
import type { StoredDetection } from "../../records/media/detections.ts";
import type { RevisionOrder } from "./revision.schemas.ts";

/** The IDs in an order that do not belong to these detections. */
export function unknownIds(
  { redact, except, reasons = {} }: RevisionOrder,
  detections: readonly Pick<StoredDetection, "id">[],
): { readonly redact: string[]; readonly except: string[]; readonly reasons: string[] } {
  const known = new Set(detections.map(({ id }) => id));
  const unknown = (ids: readonly string[]): string[] => ids.filter((id) => !known.has(id));
  return {
    redact: typeof redact === "string" ? [] : unknown(redact),
    except: unknown(except),
    reasons: unknown(Object.keys(reasons)),
  };
}

/** Applies an order to detections: hides the detections that it selects, leaves all others visible, and gives them its reasons. */
export function chooseDetections(
  order: RevisionOrder,
  detections: readonly StoredDetection[],
): StoredDetection[] {
  const isHidden = isHiddenByChoice(order);
  const { reasons = {} } = order;
  const choose = (thing: StoredDetection): StoredDetection => ({
    ...thing,
    isOpen: isHidden(thing) ? undefined : true,
    ...(Object.hasOwn(reasons, thing.id) && { reason: reasons[thing.id] }),
  });
  return detections.map(choose);
}
