import { z } from "zod";
import { MINUTE_MS, SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../../ground/vocabulary/categories.ts";
import { inferenceModelsSchema, type InferenceModels } from "../../ground/vocabulary/detection.schemas.ts";
import type { DetectorSettings } from "./detector-settings.ts";
import type { DetectorEnv } from "../../ground/platform/env.ts";

const KNOWN_LIFETIME_MS = MINUTE_MS;
const UNKNOWN_LIFETIME_MS = 5 * SECOND_MS;
const TIMEOUT_MS = 2 * SECOND_MS;

/** Whether the detector answers. */
export interface DetectorHealth {
  /** `not_asked` is for an endpoint that cannot be asked about its state. */
  readonly state: "ok" | "failing" | "not_asked";
  /** Why the last request to it failed, as a sentence without an address. */
  readonly fault?: string;
  readonly askedAtMs: number;
  readonly durationMs: number;
}

interface Answer {
  readonly categories: ReadonlySet<RedactionCategory> | undefined;
  readonly thresholds?: InferenceModels["thresholds"];
  readonly models?: InferenceModels["models"];
  readonly health: DetectorHealth;
  readonly freshUntilMs: number;
  /** Why it could not be asked. */
  readonly error?: unknown;
}

const answers = new Map<string, Answer>();

/**
 * Divides categories: the requested ones that the detector does not serve, and all that it serves. The detector's answer is
 * kept for a minute. If it cannot be asked, every category counts as served; the job asks again before anything is marked
 * completed.
 */
export async function unservedCategories(
  settings: DetectorSettings,
  asked: readonly RedactionCategory[],
): Promise<{ unserved: RedactionCategory[]; served: RedactionCategory[] }> {
  const { categories } = await freshAnswer(settings);
  if (categories === undefined) return { unserved: [], served: [...REDACTION_CATEGORIES] };
  return {
    unserved: asked.filter((category) => !categories.has(category)),
    served: REDACTION_CATEGORIES.filter((category) => categories.has(category)),
  };
}

/** The confidence from which each category counts, by sensitivity. Undefined if the detector does not say. */
export async function thresholdsOf(settings: DetectorSettings): Promise<InferenceModels["thresholds"]> {
  return (await freshAnswer(settings)).thresholds;
}

/** Whether the detector answers, its models and their thresholds. Models and thresholds are undefined if it does not say. */
export async function detectorState(
  settings: DetectorSettings,
): Promise<Pick<Answer, "models" | "thresholds" | "health">> {
  const { models, thresholds, health } = await freshAnswer(settings);
  return { models, thresholds, health };
}

async function freshAnswer(settings: DetectorSettings): Promise<Answer> {
  const known = answers.get(settings.url);
  if (known !== undefined && known.freshUntilMs > nowMs()) return known;
  const answer = await askDetector(settings);
  if ("error" in answer) log("warn", "detector.categories_unknown", errorFields(answer.error));
  answers.set(settings.url, answer);
  return answer;
}

/** Asks the detector now what it serves, without a line in the log. */
export async function askDetector(settings: DetectorSettings): Promise<Answer> {
  const askedAtMs = nowMs();
  if (settings.kind === "huggingface") {
    return {
      categories: new Set(Object.values(settings.labels)),
      health: { state: "not_asked", askedAtMs, durationMs: 0 },
      freshUntilMs: askedAtMs + KNOWN_LIFETIME_MS,
    };
  }
  try {
    const known = await askInference(settings);
    const health: DetectorHealth = { state: "ok", askedAtMs, durationMs: nowMs() - askedAtMs };
    return { ...known, health, freshUntilMs: nowMs() + KNOWN_LIFETIME_MS };
  } catch (error) {
    const health: DetectorHealth = {
      state: "failing",
      fault: faultOf(error),
      askedAtMs,
      durationMs: nowMs() - askedAtMs,
    };
    return { categories: undefined, health, freshUntilMs: nowMs() + UNKNOWN_LIFETIME_MS, error };
  }
}

/** The service gave an invalid answer. */
class DetectorAnswerError extends Error {}

function faultOf(error: unknown): string {
  if (error instanceof DetectorAnswerError) return error.message;
  if (error instanceof z.ZodError) return "It answered with something else than its models.";
  if (error instanceof Error && error.name === "TimeoutError")
    return `It did not answer within ${TIMEOUT_MS / SECOND_MS} seconds.`;
  return "It could not be reached.";
}

async function askInference({
  url,
  token,
  accessHeaders,
}: Extract<DetectorSettings, { kind: "inference" }>): Promise<
  Pick<Answer, "categories" | "thresholds" | "models">
> {
  const response = await fetch(`${url}/v1/models`, {
    headers: { ...accessHeaders, Authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new DetectorAnswerError(`It answered ${response.status} when asked for its models.`);
  }
  const { categories, thresholds, models } = inferenceModelsSchema.parse(await response.json());
  return {
    categories: new Set(REDACTION_CATEGORIES.filter((category) => categories.includes(category))),
    thresholds,
    models,
  };
}

/** The errors of an `audio` option that the installed detector does not support. Only the inference service finds speech. */
export function audioFaults(
  { DETECTOR }: Pick<DetectorEnv, "DETECTOR">,
  audio: string | undefined,
): string[] {
  if (DETECTOR === "inference" || audio !== "mute_speech") return [];
  return [
    "`audio` is mute_speech, which the installed detector does not support; use mute or `mute_ranges`.",
  ];
}
