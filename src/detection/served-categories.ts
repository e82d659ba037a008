import { MINUTE_MS, SECOND_MS, nowMs } from "../platform/clock.ts";
import { errorFields, log } from "../platform/log.ts";
import { REDACTION_CATEGORIES, type RedactionCategory } from "../vocabulary/media-values.ts";
import { inferenceModelsSchema, type InferenceModels } from "./detection.schemas.ts";
import type { DetectorSettings } from "./detector-settings.ts";

const KNOWN_LIFETIME_MS = MINUTE_MS;
const UNKNOWN_LIFETIME_MS = 5 * SECOND_MS;
const TIMEOUT_MS = 2 * SECOND_MS;

interface Answer {
  readonly categories: ReadonlySet<RedactionCategory> | undefined;
  readonly thresholds?: InferenceModels["thresholds"];
  readonly models?: InferenceModels["models"];
  readonly freshUntilMs: number;
}

const answers = new Map<string, Answer>();

/**
 * The asked categories that the detector does not serve; its answer is kept for a minute. When the detector cannot
 * be asked, none: the job asks again before anything is marked completed.
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

/** From which confidence on the detector counts each category, by sensitivity; undefined when it does not say. */
export async function thresholdsOf(settings: DetectorSettings): Promise<InferenceModels["thresholds"]> {
  return (await freshAnswer(settings)).thresholds;
}

/** The models that the detector looks with and from which confidence on it counts; undefined what it does not say. */
export async function servedModels(
  settings: DetectorSettings,
): Promise<Pick<InferenceModels, "models" | "thresholds">> {
  const { models, thresholds } = await freshAnswer(settings);
  return { models, thresholds };
}

async function freshAnswer(settings: DetectorSettings): Promise<Answer> {
  const known = answers.get(settings.url);
  if (known !== undefined && known.freshUntilMs > nowMs()) return known;
  const answer = await ask(settings);
  answers.set(settings.url, answer);
  return answer;
}

async function ask(settings: DetectorSettings): Promise<Answer> {
  if (settings.kind === "huggingface") {
    return { categories: new Set(Object.values(settings.labels)), freshUntilMs: nowMs() + KNOWN_LIFETIME_MS };
  }
  try {
    return { ...(await askInference(settings)), freshUntilMs: nowMs() + KNOWN_LIFETIME_MS };
  } catch (error) {
    log("warn", "detector.categories_unknown", errorFields(error));
    return { categories: undefined, freshUntilMs: nowMs() + UNKNOWN_LIFETIME_MS };
  }
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
    throw new Error(`The detector answered ${response.status} when asked for its models.`);
  }
  const { categories, thresholds, models } = inferenceModelsSchema.parse(await response.json());
  return {
    categories: new Set(REDACTION_CATEGORIES.filter((category) => categories.includes(category))),
    thresholds,
    models,
  };
}
