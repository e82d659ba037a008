import { z } from "zod";
import type { DetectorSettings } from "./detector-settings.ts";
import { DetectionError, OVERLOADED } from "./detector.ts";

/** The sample rate that the inference service expects. */
export const SPEECH_SAMPLES_PER_SECOND = 16_000;

const answerSchema = z.object({
  speech: z.array(z.object({ start_seconds: z.number().min(0), end_seconds: z.number().min(0) })),
});

/** Speech in some audio, in seconds from its first sample. */
export interface SpeechRange {
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/**
 * Asks the inference service where somebody speaks.
 *
 * @param samples 16-bit little-endian samples of one channel
 * @throws DetectionError
 */
export async function findSpeech(
  settings: DetectorSettings,
  samples: Uint8Array<ArrayBuffer>,
  { requestId }: { readonly requestId: string },
): Promise<SpeechRange[]> {
  if (settings.kind !== "inference") throw unavailable("The installed detector does not find speech.");
  const response = await fetch(`${settings.url}/v1/speech`, {
    method: "POST",
    headers: {
      ...settings.accessHeaders,
      Authorization: `Bearer ${settings.token}`,
      "Content-Type": "application/octet-stream",
      "X-Request-Id": requestId,
    },
    body: samples,
    signal: AbortSignal.timeout(settings.timeoutMs),
  }).catch((cause: unknown) => {
    throw unavailable("The detector could not be reached for speech.", { isAway: true, cause });
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw unavailable(`The detector answered ${response.status} when asked for speech.`, {
      isAway: OVERLOADED.has(response.status),
    });
  }
  const body = await response.text().catch((cause: unknown) => {
    throw unavailable("The detector's answer about speech broke off.", { cause });
  });
  try {
    return answerSchema.parse(JSON.parse(body)).speech.map((range) => {
      return { startSeconds: range.start_seconds, endSeconds: range.end_seconds };
    });
  } catch (cause) {
    throw new DetectionError({
      code: "detector_answer_invalid",
      message: "The detector's answer about speech is not what was agreed.",
      cause,
    });
  }
}

function unavailable(
  message: string,
  options: { readonly isAway?: boolean; readonly cause?: unknown } = {},
): DetectionError {
  return new DetectionError({ code: "detector_unavailable", message, ...options });
}
