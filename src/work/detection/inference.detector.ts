import { SECOND_MS } from "../../ground/platform/clock.ts";
import { FORMAT_CONTENT_TYPES } from "../../ground/vocabulary/media-values.ts";
import { inferenceAnswerSchema, inferenceRefusalSchema } from "../../ground/vocabulary/detection.schemas.ts";
import { DetectionError, OVERLOADED, type DetectionAnswer, type Detector } from "./detector.ts";
import { multipartBody } from "./multipart-body.ts";

interface InferenceOptions {
  readonly url: string;
  readonly token: string;
  readonly timeoutMs: number;
  readonly accessHeaders: Readonly<Record<string, string>>;
}

/**
 * The service analyzes a transparent picture up to three times: without alpha, on black, and on white. Only a JPEG is certainly
 * opaque.
 */
const MOST_LOOKS = 3;

/** The project's own inference service, called over HTTP with a bearer token. */
export function inferenceDetector({ url, token, timeoutMs, accessHeaders }: InferenceOptions): Detector {
  const headers = { ...accessHeaders, Authorization: `Bearer ${token}` };
  return {
    async detect({ frames, categories, isSingleLook, subject, onSent, ...asked }) {
      const question = JSON.stringify({
        categories,
        min_confidence: asked.minConfidence,
        sensitivity: asked.sensitivity,
        candidates: asked.withCandidates,
        single_look: isSingleLook,
      });
      const mayBeTransparent = frames.some(({ format }) => format !== "jpeg");
      const limitMs = timeoutMs * (mayBeTransparent ? MOST_LOOKS : 1);
      const form = await multipartBody(
        [
          { name: "request", contentType: "application/json", text: question },
          ...frames.map((frame) => ({
            name: "frames",
            filename: "frame",
            contentType: FORMAT_CONTENT_TYPES[frame.format],
            ...frame,
          })),
        ],
        onSent,
      );
      const response = await fetch(`${url}/v1/detections`, {
        method: "POST",
        headers: { ...headers, "Content-Type": form.contentType, "X-Request-Id": subject.requestId },
        body: form.body,
        signal: AbortSignal.timeout(limitMs),
      }).catch((cause: unknown) => {
        throw away(
          isTimeout(cause)
            ? `The detector did not answer within ${limitMs / SECOND_MS} s.`
            : "The detector could not be reached.",
          cause,
        );
      });
      if (response.status === 422) throw await refusal(response);
      if (!response.ok) {
        await response.body?.cancel();
        const message = `The detector answered ${response.status}.`;
        throw OVERLOADED.has(response.status) ? away(message) : unavailable(message);
      }
      const answer = await readAnswer(response);
      if (answer.frames.length !== frames.length)
        throw invalid("The detector answered for another number of frames.");
      return answer;
    },
  };
}

async function readAnswer(response: Response): Promise<DetectionAnswer> {
  const body = await response.text().catch((cause: unknown) => {
    throw unavailable("The detector's answer broke off.", cause);
  });
  try {
    return inferenceAnswerSchema.parse(JSON.parse(body));
  } catch (cause) {
    throw invalid("The detector's answer is not what was agreed.", cause);
  }
}

/**
 * The error that a refusal means. A refusal that names a frame or the categories is permanent. Any other, such as one for a
 * body that broke off, may go away.
 */
async function refusal(response: Response): Promise<DetectionError> {
  const body = await response.text();
  const fields = refusedFields(body);
  if (fields.includes("categories")) {
    return new DetectionError({
      code: "categories_unserved",
      message: "The detector does not serve all categories of the media.",
    });
  }
  if (fields.some((field) => field.startsWith("frames"))) {
    return new DetectionError({
      code: "source_undecodable",
      message: "The detector cannot decode the picture.",
    });
  }
  return unavailable("The detector refused the request as a whole.");
}

function refusedFields(body: string): string[] {
  try {
    return Object.keys(inferenceRefusalSchema.parse(JSON.parse(body)).error.details);
  } catch {
    return [];
  }
}

function isTimeout(cause: unknown): boolean {
  return cause instanceof Error && cause.name === "TimeoutError";
}

function away(message: string, cause?: unknown): DetectionError {
  return new DetectionError({ code: "detector_unavailable", message, isAway: true, cause });
}

function unavailable(message: string, cause?: unknown): DetectionError {
  return new DetectionError({ code: "detector_unavailable", message, cause });
}

function invalid(message: string, cause?: unknown): DetectionError {
  return new DetectionError({ code: "detector_answer_invalid", message, cause });
}
