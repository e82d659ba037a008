import { InferenceClientProviderOutputError, objectDetection } from "@huggingface/inference";
import { z } from "zod";
import type { RedactionCategory } from "../media/media.values.ts";
import type { Detection, FrameDetections } from "./detection.schemas.ts";
import type { LabelMap } from "./detector-settings.ts";
import { DetectionError, type Detector, type Frame } from "./detector.ts";

/** The endpoint takes a picture whole, so a larger one does not fit a Worker's memory. */
const MAX_FRAME_BYTES = 25_000_000;

const answerSchema = z.array(
  z.object({
    score: z.number().min(0).max(1),
    label: z.string(),
    box: z.object({ xmin: z.number(), ymin: z.number(), xmax: z.number(), ymax: z.number() }),
  }),
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
    async detect({ frame, categories }) {
      if (categories.some((category) => !served.has(category))) {
        throw new DetectionError({
          code: "categories_unserved",
          message: "The endpoint's labels do not cover all categories of the media.",
        });
      }
      const answer = await ask({ url, token, timeoutMs, frame });
      const wanted = new Set(categories);
      const detections = answer.flatMap(({ label, score, box }): Detection[] => {
        const category = labels[label];
        if (category === undefined || !wanted.has(category)) return [];
        return [{ category, confidence: score, box: relativeBox(box, frame) }];
      });
      return { width: frame.widthPixels, height: frame.heightPixels, detections } satisfies FrameDetections;
    },
  };
}

async function ask(options: { url: string; token: string; timeoutMs: number; frame: Frame }) {
  const { url, token, timeoutMs, frame } = options;
  if (frame.sizeBytes > MAX_FRAME_BYTES) {
    throw new DetectionError({
      code: "source_undecodable",
      message: `The file has ${frame.sizeBytes} bytes; the endpoint is sent up to ${MAX_FRAME_BYTES}.`,
    });
  }
  const inputs = await new Response(await frame.open(), {
    headers: { "Content-Type": frame.contentType },
  }).blob();
  let answer: unknown;
  try {
    answer = await objectDetection(
      { endpointUrl: url, accessToken: token, inputs },
      { retry_on_error: false, signal: AbortSignal.timeout(timeoutMs) },
    );
  } catch (cause) {
    if (cause instanceof InferenceClientProviderOutputError) throw invalid(cause);
    throw new DetectionError({
      code: "detector_unavailable",
      message: "The Hugging Face endpoint could not answer.",
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

function relativeBox(
  box: { xmin: number; ymin: number; xmax: number; ymax: number },
  { widthPixels, heightPixels }: Frame,
): Detection["box"] {
  const left = clamp(box.xmin / widthPixels);
  const top = clamp(box.ymin / heightPixels);
  return [left, top, clamp(box.xmax / widthPixels) - left, clamp(box.ymax / heightPixels) - top];
}

function clamp(value: number): number {
  return Math.min(1, Math.max(0, value));
}
