import {
  readBox,
  writtenBox,
  type PixelSize,
  type Polygon,
  type WrittenBox,
} from "../../../pixels/geometry/box.ts";
import type { InferenceModels } from "../../../ground/vocabulary/detection.schemas.ts";
import type { MaskingOrder } from "../../../records/masking/masking-options.repository.ts";
import type { ReasonList } from "../../../records/masking/reasons.schemas.ts";
import { regionsFromDetections } from "../../../pixels/redaction/regions/regions.ts";
import type { DetectionResponse, DetectionsResponse } from "../../../records/media-api/detections.schemas.ts";

/** The area painted over a detection, in fractions of the picture. It may extend past the picture. */
interface Mask {
  readonly shape: "ellipse" | "box" | "polygon";
  readonly box: WrittenBox;
  readonly polygon?: Polygon | undefined;
}

/** The reasons of an editor: the team's list, and whether masks show their codes now. */
export interface EditorReasons {
  readonly list: ReasonList["reasons"];
  readonly defaults: ReasonList["defaults"];
  readonly isPrinted: boolean;
}

/** The data of the editor's scripts: the detections, and the areas that would be painted over them. */
export interface EditorData {
  readonly width: number;
  readonly height: number;
  readonly detections: readonly (DetectionResponse & { readonly mask?: Mask })[];
  /** The confidence from which each category is hidden, by sensitivity; null if the detector does not report it. */
  readonly thresholds: NonNullable<InferenceModels["thresholds"]> | null;
  readonly reasons: EditorReasons;
}

/** The team's reasons, and whether the masks of a version show theirs. */
export function editorReasons({ reasons, options }: MaskingOrder): EditorReasons {
  return { list: reasons.reasons, defaults: reasons.defaults, isPrinted: options.burnsInReasons === true };
}

/** The editor's data for a photo. All positions are in the picture as a person sees it. */
export function editorData(
  { width, height, detections }: DetectionsResponse,
  { thresholds, order }: { thresholds: InferenceModels["thresholds"]; order: MaskingOrder },
): EditorData {
  return {
    reasons: editorReasons(order),
    width,
    height,
    detections: detections.map((detection) => withMask(detection, { width, height })),
    thresholds: thresholds ?? null,
  };
}

function withMask(detection: DetectionResponse, size: PixelSize): EditorData["detections"][number] {
  const { category, confidence, origin, box, polygon } = detection;
  // A requested region is painted exactly.
  if (category === null || origin === "request") return detection;
  const [mask] = regionsFromDetections(
    [
      {
        category,
        confidence: confidence ?? undefined,
        box: readBox(box),
        polygon: polygon?.map(([x = 0, y = 0]) => [x, y] as const),
      },
    ],
    size,
  );
  if (mask === undefined) return detection;
  const { shape, polygon: corners } = mask;
  return { ...detection, mask: { shape, box: writtenBox(mask.box), polygon: corners } };
}
