import { z } from "zod";
import type { detectorVariables } from "../config/detector.config.ts";
import type { retentionVariables } from "../config/retention.config.ts";
import { apiVariables, imageVariables, videoVariables } from "../config/workers.config.ts";
import { withMainDatabase } from "./databases.ts";

function binding<T>(name: string, method: string): z.ZodType<T> {
  return z.custom<T>(
    (value) =>
      typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function",
    `The binding ${name} is missing.`,
  );
}

function furtherDatabase(name: string) {
  return binding<D1Database>(name, "prepare").optional();
}

/** Bindings that every Worker has, and the further databases that it may have. */
const sharedBindings = {
  DB: binding<D1Database>("DB", "prepare"),
  DB_2: furtherDatabase("DB_2"),
  DB_3: furtherDatabase("DB_3"),
  DB_4: furtherDatabase("DB_4"),
  DB_5: furtherDatabase("DB_5"),
  DB_6: furtherDatabase("DB_6"),
  DB_7: furtherDatabase("DB_7"),
  DB_8: furtherDatabase("DB_8"),
  MEDIA: binding<R2Bucket>("MEDIA", "put"),
  WEBHOOK_JOBS: binding<Queue>("WEBHOOK_JOBS", "send"),
};

const apiEnvSchema = z
  .object({
    ...sharedBindings,
    ...apiVariables,
    IMAGE_JOBS: binding<Queue>("IMAGE_JOBS", "send"),
    VIDEO_JOBS: binding<Queue>("VIDEO_JOBS", "send"),
    ASSETS: binding<Fetcher>("ASSETS", "fetch"),
    RATE_LIMITER: binding<DurableObjectNamespace>("RATE_LIMITER", "idFromName"),
  })
  .transform(withMainDatabase);

const imageEnvSchema = z
  .object({
    ...sharedBindings,
    ...imageVariables,
    IMAGE_JOBS: binding<Queue>("IMAGE_JOBS", "send"),
  })
  .transform(withMainDatabase);

const videoEnvSchema = z
  .object({
    ...sharedBindings,
    ...videoVariables,
    VIDEO_JOBS: binding<Queue>("VIDEO_JOBS", "send"),
  })
  .transform(withMainDatabase);

export type ApiEnv = z.output<typeof apiEnvSchema>;
export type ImageEnv = z.output<typeof imageEnvSchema>;
export type RetentionEnv = Pick<ImageEnv, keyof typeof retentionVariables>;
export type VideoEnv = z.output<typeof videoEnvSchema>;
export type DetectorEnv = Pick<ApiEnv, keyof typeof detectorVariables>;

/** A Worker's variables are missing or invalid. The message names each one, and its value if that cannot be a secret. */
export class NotConfiguredError extends Error {
  override readonly name = "NotConfiguredError";
}

function memoise<T>(
  schema: z.ZodType<T>,
  variables: Readonly<Record<string, z.ZodType>>,
): (bindings: object) => T {
  const known = new WeakMap<object, T>();
  return (bindings) => {
    const found = known.get(bindings);
    if (found !== undefined) return found;
    const result = schema.safeParse(bindings);
    if (!result.success) throw notConfigured(result.error, bindings, variables);
    known.set(bindings, result.data);
    return result.data;
  };
}

function notConfigured(error: z.ZodError, bindings: object, variables: object): Error {
  const faults = new Map(error.issues.map(({ path: [name], message }) => [String(name), message]));
  if (![...faults.keys()].every((name) => name in variables)) {
    return new Error(`The Worker is not configured: ${z.prettifyError(error)}`);
  }
  const parts = [...faults].map(([name, message]) => {
    const state = Reflect.get(bindings, name) === undefined ? "missing" : "wrong";
    return `${name} is ${state} (${message.replace(/\.$/, "")})`;
  });
  return new NotConfiguredError(
    `The Worker is not configured: ${parts.join(", ")}. With \`wrangler dev\`, copy .dev.vars.example to .dev.vars and start again; for a deployed Worker, see docs/deploy.md.`,
  );
}

/** Checked variables and bindings of the API Worker. @throws with a sentence that names each invalid one */
export const parseApiEnv: (bindings: object) => ApiEnv = memoise(apiEnvSchema, apiVariables);

/** Checked variables and bindings of the image Worker. @throws with a sentence that names each invalid one */
export const parseImageEnv: (bindings: object) => ImageEnv = memoise(imageEnvSchema, imageVariables);

/** Checked variables and bindings of the video Worker. @throws with a sentence that names each invalid one */
export const parseVideoEnv: (bindings: object) => VideoEnv = memoise(videoEnvSchema, videoVariables);
