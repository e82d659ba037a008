import { z } from "zod";
import { fromBase64Url } from "./ids.ts";

const NOT_POSITIVE = "Expected a whole number, 1 or more.";
const positiveInteger = z.coerce.number({ error: NOT_POSITIVE }).int(NOT_POSITIVE).positive(NOT_POSITIVE);
const optionalUrl = z
  .union([z.literal(""), z.url({ protocol: /^https?$/ })], {
    error: "Expected a URL that begins with http:// or https://.",
  })
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

/** How a Worker reaches its detector. */
export const detectorVariables = {
  DETECTOR: z.enum(["inference", "huggingface"], "Expected inference or huggingface.").default("inference"),
  INFERENCE_URL: optionalUrl,
  INFERENCE_TOKEN: optionalSecret,
  INFERENCE_ACCESS_CLIENT_ID: optionalSecret,
  INFERENCE_ACCESS_CLIENT_SECRET: optionalSecret,
  HUGGINGFACE_URL: optionalUrl,
  HUGGINGFACE_TOKEN: optionalSecret,
  HUGGINGFACE_LABELS: optionalSecret,
  DETECTION_TIMEOUT_SECONDS: positiveInteger.default(60),
};

/** The longest retention, for accounts too: ten years. */
export const MAX_SOURCE_RETENTION_HOURS = 87_600;
export const MAX_OUTPUT_RETENTION_DAYS = 3_650;

/** How long files are kept once processing has ended, where the account has no times of its own. */
export const retentionVariables = {
  SOURCE_RETENTION_HOURS: upTo(MAX_SOURCE_RETENTION_HOURS).default(24),
  OUTPUT_RETENTION_DAYS: upTo(MAX_OUTPUT_RETENTION_DAYS).default(30),
};

function upTo(max: number) {
  const error = `Expected a whole number from 0 to ${max}.`;
  return z.coerce.number({ error }).int(error).min(0, error).max(max, error);
}

/** Email addresses, separated by spaces or commas. */
const emailAddresses = z
  .string()
  .default("")
  .transform((value) =>
    value
      .toLowerCase()
      .split(/[\s,]+/)
      .filter((address) => address !== ""),
  )
  .refine((addresses) => addresses.every((address) => z.email().safeParse(address).success), {
    error: "Expected email addresses, separated by spaces or commas.",
  });

/** The dashboard and its accounts. Without AUTH_SECRET there is no dashboard, and the API works as ever. */
const dashboardVariables = {
  AUTH_SECRET: z
    .union([z.literal(""), z.string().min(32, "The secret is too short; use 32 characters or more.")])
    .transform((value) => (value === "" ? undefined : value))
    .optional(),
  SIGN_UP: z.enum(["open", "invited", "closed"], "Expected open, invited or closed.").default("invited"),
  OPERATOR_EMAILS: emailAddresses,
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
export const mediaServiceVariables = {
  MEDIA_SERVICE_URL: optionalUrl,
  MEDIA_SERVICE_TOKEN: optionalSecret,
};

/** How much there may be of a video, by its container and when its frames are counted. */
const videoLengthVariables = {
  MAX_VIDEO_FRAMES_PER_SECOND: positiveInteger.default(60),
  MAX_VIDEO_SECONDS: positiveInteger.default(3600),
};

/** The variables of the API Worker. */
export const apiVariables = {
  ...detectorVariables,
  ...dashboardVariables,
  ...videoLengthVariables,
  ...mediaServiceVariables,
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
};

/** The variables of the image Worker. */
export const imageVariables = {
  ...detectorVariables,
  ...retentionVariables,
  LEASE_SECONDS: positiveInteger.default(60),
};

/** The variables of the video Worker. */
export const videoVariables = {
  ...detectorVariables,
  ...retentionVariables,
  ...videoLengthVariables,
  ...mediaServiceVariables,
  LEASE_SECONDS: positiveInteger.default(60),
  VIDEO_PARALLEL_SEGMENTS: positiveInteger.max(100).default(8),
};

const SCHEMAS = {
  api: z.object(apiVariables),
  image: z.object(imageVariables),
  video: z.object(videoVariables),
};

/** Lists the variables that a Worker reads. */
export function variablesOf(kind: keyof typeof SCHEMAS): string[] {
  return Object.keys(SCHEMAS[kind].shape);
}

/** The faults of a Worker's variables that are set: a sentence by name, without the value. */
export function variableFaults(
  kind: keyof typeof SCHEMAS,
  variables: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const issues = SCHEMAS[kind].safeParse(variables).error?.issues ?? [];
  return new Map(
    issues
      .map(({ path: [name], message }): [string, string] => [String(name), message])
      .filter(([name]) => name in variables),
  );
}
