import { z } from "zod";
import { fromBase64Url } from "./ids.ts";

const positiveInteger = z.coerce.number().int().positive();
const optionalUrl = z
  .union([z.literal(""), z.url({ protocol: /^https?$/ })])
  .transform((value) => (value === "" ? undefined : value.replace(/\/+$/, "")))
  .optional();
const optionalSecret = z
  .string()
  .transform((value) => (value === "" ? undefined : value))
  .optional();

const AES_KEY_BYTES = 32;

/** Keys of 32 bytes in base64, separated by spaces or commas. */
const aesKeys = z
  .string()
  .transform((value) => value.split(/[\s,]+/).filter((key) => key !== ""))
  .refine((keys) => keys.length > 0 && keys.every(isAesKey), {
    error: "Expected keys of 32 bytes in base64, separated by spaces or commas.",
  });

function isAesKey(text: string): boolean {
  try {
    return fromBase64Url(text).length === AES_KEY_BYTES;
  } catch {
    return false;
  }
}

function binding<T>(name: string, method: string): z.ZodType<T> {
  return z.custom<T>(
    (value) =>
      typeof value === "object" && value !== null && typeof Reflect.get(value, method) === "function",
    `The binding ${name} is missing.`,
  );
}

/** Bindings that every Worker has. */
const sharedBindings = {
  DB: binding<D1Database>("DB", "prepare"),
  MEDIA: binding<R2Bucket>("MEDIA", "put"),
  WEBHOOK_JOBS: binding<Queue>("WEBHOOK_JOBS", "send"),
};

/** How a Worker reaches its detector. */
const detectorVars = {
  DETECTOR: z.enum(["inference", "huggingface"]).default("inference"),
  INFERENCE_URL: optionalUrl,
  INFERENCE_TOKEN: optionalSecret,
  INFERENCE_ACCESS_CLIENT_ID: optionalSecret,
  INFERENCE_ACCESS_CLIENT_SECRET: optionalSecret,
  HUGGINGFACE_URL: optionalUrl,
  HUGGINGFACE_TOKEN: optionalSecret,
  HUGGINGFACE_LABELS: optionalSecret,
  DETECTION_TIMEOUT_SECONDS: positiveInteger.default(60),
};

const naturalNumber = z.coerce.number().int().min(0);

/** How long files are kept once processing has ended, where the account has no times of its own. */
const retentionVars = {
  SOURCE_RETENTION_HOURS: naturalNumber.default(24),
  OUTPUT_RETENTION_DAYS: naturalNumber.default(30),
};

/** The dashboard and its accounts. Without AUTH_SECRET there is no dashboard, and the API works as ever. */
const dashboardVars = {
  AUTH_SECRET: z
    .union([z.literal(""), z.string().min(32, "AUTH_SECRET is too short; use 32 characters or more.")])
    .transform((value) => (value === "" ? undefined : value))
    .optional(),
  SIGN_UP: z.enum(["open", "invited", "closed"]).default("invited"),
  MAIL_URL: optionalUrl,
  MAIL_TOKEN: optionalSecret,
  MAIL_FROM: optionalSecret,
  GITHUB_CLIENT_ID: optionalSecret,
  GITHUB_CLIENT_SECRET: optionalSecret,
  GOOGLE_CLIENT_ID: optionalSecret,
  GOOGLE_CLIENT_SECRET: optionalSecret,
  LOCAL_ACCOUNT_ID: optionalSecret,
  LOCAL_SIGN_IN_TOKEN: optionalSecret,
  LOCAL_APP_VERSION: optionalSecret,
  LOCAL_NODE_VERSION: optionalSecret,
};

/** The service that works on videos which are too large for a Worker. Without one they are refused. */
const mediaServiceVars = {
  MEDIA_SERVICE_URL: optionalUrl,
  MEDIA_SERVICE_TOKEN: optionalSecret,
};

/** How much there may be of a video, by its container and when its frames are counted. */
const videoLengthVars = {
  MAX_VIDEO_FRAMES_PER_SECOND: positiveInteger.default(60),
  MAX_VIDEO_SECONDS: positiveInteger.default(3600),
};

const apiEnvSchema = z.object({
  ...sharedBindings,
  ...detectorVars,
  ...dashboardVars,
  ...videoLengthVars,
  ...mediaServiceVars,
  IMAGE_JOBS: binding<Queue>("IMAGE_JOBS", "send"),
  VIDEO_JOBS: binding<Queue>("VIDEO_JOBS", "send"),
  RATE_LIMITER: binding<DurableObjectNamespace>("RATE_LIMITER", "idFromName"),
  LOCAL_DEVELOPMENT: z.stringbool().default(false),
  PUBLIC_URL: optionalUrl,
  CORS_ORIGINS: z
    .string()
    .default("")
    .transform((value) => value.split(/[\s,]+/).filter((origin) => origin !== "")),
  UPSTASH_REDIS_REST_URL: optionalUrl,
  UPSTASH_REDIS_REST_TOKEN: optionalSecret,
  RATE_LIMIT_TIMEOUT_MS: positiveInteger.default(1000),
  MAX_FILE_BYTES: positiveInteger.default(100_000_000),
  MAX_RESUMABLE_FILE_BYTES: positiveInteger.default(5_000_000_000),
  RESUMABLE_UPLOAD_HOURS: positiveInteger.default(24),
  MAX_RESUMABLE_UPLOADS: positiveInteger.default(200),
  MAX_RESUMABLE_BYTES: positiveInteger.default(50_000_000_000),
  MAX_IMAGE_MEGAPIXELS: positiveInteger.default(100),
  MAX_BUFFERED_IMAGE_MEGAPIXELS: positiveInteger.default(16),
  MAX_VIDEO_LONG_SIDE_PIXELS: positiveInteger.optional(),
  MAX_VIDEO_SHORT_SIDE_PIXELS: positiveInteger.optional(),
  UPLOAD_IDLE_TIMEOUT_SECONDS: positiveInteger.default(60),
  UPLOAD_MIN_BYTES_PER_SECOND: positiveInteger.default(1000),
  UPLOAD_RATE_WINDOW_SECONDS: positiveInteger.default(30),
  UPLOAD_TIMEOUT_SECONDS: positiveInteger.default(3600),
  SOURCE_URL_TIMEOUT_SECONDS: positiveInteger.default(75),
  WEBHOOK_SECRET_KEYS: aesKeys,
  WEBHOOK_TIMEOUT_SECONDS: positiveInteger.default(10),
  DNS_RESOLVER_URL: z.url({ protocol: /^https?$/ }).default("https://cloudflare-dns.com/dns-query"),
});

const imageEnvSchema = z.object({
  ...sharedBindings,
  ...detectorVars,
  ...retentionVars,
  IMAGE_JOBS: binding<Queue>("IMAGE_JOBS", "send"),
  LEASE_SECONDS: positiveInteger.default(60),
});

const videoEnvSchema = z.object({
  ...sharedBindings,
  ...detectorVars,
  ...retentionVars,
  ...videoLengthVars,
  ...mediaServiceVars,
  VIDEO_JOBS: binding<Queue>("VIDEO_JOBS", "send"),
  LEASE_SECONDS: positiveInteger.default(60),
  VIDEO_PARALLEL_SEGMENTS: positiveInteger.max(100).default(8),
});

export type ApiEnv = z.output<typeof apiEnvSchema>;
export type ImageEnv = z.output<typeof imageEnvSchema>;
export type RetentionEnv = Pick<ImageEnv, keyof typeof retentionVars>;
export type VideoEnv = z.output<typeof videoEnvSchema>;
export type DetectorEnv = Pick<ApiEnv, keyof typeof detectorVars>;

function memoise<T>(schema: z.ZodType<T>): (bindings: object) => T {
  const known = new WeakMap<object, T>();
  return (bindings) => {
    const found = known.get(bindings);
    if (found !== undefined) return found;
    const result = schema.safeParse(bindings);
    if (!result.success) throw new Error(`The Worker is not configured: ${z.prettifyError(result.error)}`);
    known.set(bindings, result.data);
    return result.data;
  };
}

/** Checked variables and bindings of the API Worker. Throws a sentence that names each one that is wrong. */
export const parseApiEnv: (bindings: object) => ApiEnv = memoise(apiEnvSchema);

/** Checked variables and bindings of the image Worker. Throws a sentence that names each one that is wrong. */
export const parseImageEnv: (bindings: object) => ImageEnv = memoise(imageEnvSchema);

/** Checked variables and bindings of the video Worker. Throws a sentence that names each one that is wrong. */
export const parseVideoEnv: (bindings: object) => VideoEnv = memoise(videoEnvSchema);
