import {
  InferenceClientProviderApiError,
  InferenceClientProviderOutputError,
  objectDetection,
} from "@huggingface/inference";
import { z } from "zod";
import { openBytes } from "../../pixels/redaction/bytes/byte-source.ts";
import { readStoredOrientation } from "../../pixels/redaction/stored-orientation.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import { FORMAT_CONTENT_TYPES } from "../../ground/vocabulary/media-values.ts";
import type { Detection, FrameDetections } from "../../ground/vocabulary/detection.schemas.ts";
import type { LabelMap } from "./label-map.ts";
import { DetectionError, OVERLOADED, type Detector, type Frame } from "./detector.ts";
import type { Box } from "../../pixels/geometry/box.ts";
import { clampFraction } from "../../pixels/geometry/fractions.ts";
import { storedBox, swapsSides, type Orientation } from "../../pixels/geometry/orientation.ts";

/** The endpoint accepts only whole pictures, and a larger one does not fit into a Worker's memory. */
const MAX_FRAME_BYTES = 25_000_000;

const pixelBoxSchema = z.object({ xmin: z.number(), ymin: z.number(), xmax: z.number(), ymax: z.number() });

const answerSchema = z.array(
  z.object({ score: z.number().min(0).max(1), label: z.string(), box: pixelBoxSchema }),
);

interface HuggingFaceOptions {
  readonly url: string;
  readonly token: string;
  readonly labels: LabelMap;
  readonly timeoutMs: number;
}

/** A Hugging Face inference endpoint for object detection, with a configured label map. */
export function huggingFaceDetector({ url, token, labels, timeoutMs }: HuggingFaceOptions): Detector {
  const served = new Set<RedactionCategory>(Object.values(labels));
  return {
    async detect({ frames, categories, subject, minConfidence = 0, withCandidates = false }) {
      if (categories.some((category) => !served.has(category))) {
        throw new DetectionError({
          code: "categories_unserved",
          message: "The endpoint's labels do not cover all categories of the media.",
        });
      }
      const wanted = new Set(categories);
      const answers: FrameDetections[] = [];
      for (const frame of frames) {
        const picture = await read(frame);
        const inputs = new Blob([picture], { type: FORMAT_CONTENT_TYPES[frame.format] });
        const answer = await ask({ url, token, timeoutMs, requestId: subject.requestId, inputs });
        const orientation = await readStoredOrientation(openBytes(picture), frame.format);
        const detections = answer.flatMap(({ label, score, box }): Detection[] => {
          const category = labels[label];
          if (category === undefined || !wanted.has(category)) return [];
          const least = typeof minConfidence === "number" ? minConfidence : (minConfidence[category] ?? 0);
          const candidate = score < least;
          if (candidate && !withCandidates) return [];
          return storedBoxes(box, frame, orientation).map((stored) => ({
            category,
            confidence: score,
            box: stored,
            candidate: candidate ? true : undefined,
          }));
        });
        answers.push({ width: frame.widthPixels, height: frame.heightPixels, detections });
      }
      return { frames: answers, models: [] };
    },
  };
}

async function read(frame: Frame): Promise<Uint8Array<ArrayBuffer>> {
  if (frame.sizeBytes > MAX_FRAME_BYTES) {
    throw new DetectionError({
      code: "source_undecodable",
      message: `The file has ${frame.sizeBytes} bytes; the endpoint is sent up to ${MAX_FRAME_BYTES}.`,
    });
  }
  return new Uint8Array(await new Response(await frame.open()).arrayBuffer());
}

async function ask(options: {
  url: string;
  token: string;
  timeoutMs: number;
  requestId: string;
  inputs: Blob;
}) {
  const { url, token, timeoutMs, requestId, inputs } = options;
  const fetchWithId: typeof fetch = async (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set("X-Request-Id", requestId);
    return await fetch(input, { ...init, headers });
  };
  let answer: unknown;
  try {
    answer = await objectDetection(
      { endpointUrl: url, accessToken: token, inputs },
      { retry_on_error: false, fetch: fetchWithId, signal: AbortSignal.timeout(timeoutMs) },
    );
  } catch (cause) {
    if (cause instanceof InferenceClientProviderOutputError) throw invalid(cause);
    throw new DetectionError({
      code: "detector_unavailable",
      message: "The Hugging Face endpoint could not answer.",
      isAway:
        !(cause instanceof InferenceClientProviderApiError) || OVERLOADED.has(cause.httpResponse.status),
      cause,
    });
  }
  const parsed = answerSchema.safeParse(answer);
  if (parsed.success) return parsed.data;
  throw invalid(parsed.error);
}

function invalid(cause: unknown): DetectionError {
  return new DetectionError({
    code: "detector_answer_invalid",
    message: "The Hugging Face endpoint's answer is not what was agreed.",
    cause,
  });
}

/** The sides of a box in pixels, as endpoints name them. */
type PixelBox = z.output<typeof pixelBoxSchema>;

/**
 * The possible boxes, in the stored picture, of one box of the endpoint. Some endpoints rotate a picture by its orientation tag
 * and some do not, and the answer does not say which. Both readings are used, because a false mask costs less than a leak.
 */
function storedBoxes(box: PixelBox, frame: Frame, orientation: Orientation): Box[] {
  const { widthPixels, heightPixels } = frame;
  const unturned = relativeBox(box, widthPixels, heightPixels);
  if (orientation === 1) return [unturned];
  const shown = swapsSides(orientation)
    ? relativeBox(box, heightPixels, widthPixels)
    : relativeBox(box, widthPixels, heightPixels);
  return [unturned, storedBox(shown, orientation)];
}

function relativeBox(box: PixelBox, widthPixels: number, heightPixels: number): Box {
  const left = clampFraction(box.xmin / widthPixels);
  const top = clampFraction(box.ymin / heightPixels);
  return [
    left,
    top,
    clampFraction(box.xmax / widthPixels) - left,
    clampFraction(box.ymax / heightPixels) - top,
  ];
}
