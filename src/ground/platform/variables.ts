import { z } from "zod";
import { fromBase64Url } from "./ids.ts";

/** The longest retention, also for accounts: ten years. */
export const MAX_SOURCE_RETENTION_HOURS = 87_600;
export const MAX_OUTPUT_RETENTION_DAYS = 3_650;

/** The variables that are whole numbers, with their unit and what is accepted. `docs/operating.md` lists them with their defaults. */
export const NUMBERS = {
  DETECTION_TIMEOUT_SECONDS: { unit: "seconds", least: 1, most: 300 },
  VIDEO_PARALLEL_SEGMENTS: { unit: "segments", least: 1, most: 100 },
  MAX_VIDEO_LONG_SIDE_PIXELS: { unit: "pixels", least: 16, most: 3840 },
  MAX_VIDEO_SHORT_SIDE_PIXELS: { unit: "pixels", least: 16, most: 2160 },
  MAX_VIDEO_FRAMES_PER_SECOND: { unit: "frames per second", least: 1, most: 240 },
  MAX_VIDEO_SECONDS: { unit: "seconds", least: 1, most: 86_400 },
  LEASE_SECONDS: { unit: "seconds", least: 1, most: 900 },
  MAX_FILE_BYTES: { unit: "bytes", least: 1, most: 5_000_000_000 },
  MAX_IMAGE_MEGAPIXELS: { unit: "megapixels", least: 1, most: 268 },
  MAX_BUFFERED_IMAGE_MEGAPIXELS: { unit: "megapixels", least: 1, most: 24 },
  UPLOAD_IDLE_TIMEOUT_SECONDS: { unit: "seconds", least: 1, most: 3600 },
  UPLOAD_MIN_BYTES_PER_SECOND: { unit: "bytes per second", least: 1, most: 100_000_000 },
  UPLOAD_RATE_WINDOW_SECONDS: { unit: "seconds", least: 1, most: 3600 },
  UPLOAD_TIMEOUT_SECONDS: { unit: "seconds", least: 1, most: 86_400 },
  MAX_QUEUED_JOBS: { unit: "jobs", least: 1, most: 10_000_000 },
  MAX_QUEUE_AGE_SECONDS: { unit: "seconds", least: 60, most: 604_800 },
  MAX_RESUMABLE_FILE_BYTES: { unit: "bytes", least: 1, most: 50_000_000_000 },
  RESUMABLE_UPLOAD_HOURS: { unit: "hours", least: 1, most: 168 },
  MAX_RESUMABLE_UPLOADS: { unit: "uploads", least: 1, most: 10_000 },
  MAX_RESUMABLE_BYTES: { unit: "bytes", least: 1, most: 10_000_000_000_000 },
  SOURCE_URL_TIMEOUT_SECONDS: { unit: "seconds", least: 1, most: 100 },
  WEBHOOK_TIMEOUT_SECONDS: { unit: "seconds", least: 1, most: 25 },
  RATE_LIMIT_TIMEOUT_MS: { unit: "milliseconds", least: 1, most: 30_000 },
  SOURCE_RETENTION_HOURS: { unit: "hours", least: 0, most: MAX_SOURCE_RETENTION_HOURS },
  OUTPUT_RETENTION_DAYS: { unit: "days", least: 0, most: MAX_OUTPUT_RETENTION_DAYS },
} as const satisfies Readonly<Record<string, { unit: string; least: number; most: number }>>;

const MOST_SHOWN_CHARACTERS = 20;

/** A whole number in decimal digits, within its limits. The error names the value found, because none of these is a secret. */
function numberOf(name: keyof typeof NUMBERS) {
  const { unit, least, most } = NUMBERS[name];
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const number = /^\d+$/.test(String(value).trim()) ? Number(value) : Number.NaN;
    if (number >= least && number <= most) return number;
    const found = JSON.stringify(String(value).slice(0, MOST_SHOWN_CHARACTERS));
    const message = `Found ${found}. Expected a whole number of ${unit} from ${least} to ${most}.`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  });
}

/** One of some words. The error names the value found. */
function wordOf<const Word extends string>(words: readonly [Word, ...Word[]]) {
  return z.enum(words, {
    error: ({ input }) =>
      `Found ${JSON.stringify(String(input).slice(0, MOST_SHOWN_CHARACTERS))}. Expected ${words.slice(0, -1).join(", ")} or ${words.at(-1)}.`,
  });
}

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

const KEYS_EXPECTED = { error: "Expected keys of 32 bytes in base64, separated by spaces or commas." };

/** 32-byte keys in base64, separated by spaces or commas. */
const aesKeys = z
  .string(KEYS_EXPECTED)
  .transform((value) => value.split(/[\s,]+/).filter((key) => key !== ""))
  .refine((keys) => keys.length > 0 && keys.every(isAesKey), KEYS_EXPECTED);

function isAesKey(text: string): boolean {
  try {
    return fromBase64Url(text).length === AES_KEY_BYTES;
  } catch {
    return false;
  }
}

/** How a Worker reaches its detector. */
export const detectorVariables = {
  DETECTOR: wordOf(["inference", "huggingface"]).default("inference"),
  INFERENCE_URL: optionalUrl,
  INFERENCE_TOKEN: optionalSecret,
  INFERENCE_ACCESS_CLIENT_ID: optionalSecret,
  INFERENCE_ACCESS_CLIENT_SECRET: optionalSecret,
  HUGGINGFACE_URL: optionalUrl,
  HUGGINGFACE_TOKEN: optionalSecret,
  HUGGINGFACE_LABELS: optionalSecret,
  DETECTION_TIMEOUT_SECONDS: numberOf("DETECTION_TIMEOUT_SECONDS").default(60),
};

/** How long files are kept after processing has ended, unless the account has its own values. */
export const retentionVariables = {
  SOURCE_RETENTION_HOURS: numberOf("SOURCE_RETENTION_HOURS").default(24),
  OUTPUT_RETENTION_DAYS: numberOf("OUTPUT_RETENTION_DAYS").default(30),
};

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

/** The dashboard and its accounts. Without AUTH_SECRET there is no dashboard, and the API is unaffected. */
const dashboardVariables = {
  AUTH_SECRET: z
    .union([
      z.literal(""),
      z.string().min(32, {
        error: ({ input }) =>
          `The secret has ${typeof input === "string" ? input.length : 0} characters; use 32 or more.`,
      }),
    ])
    .transform((value) => (value === "" ? undefined : value))
    .optional(),
  SIGN_UP: wordOf(["open", "invited", "closed"]).default("invited"),
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

/** Whether the inference service processes the videos that are too large for a Worker. Otherwise, such videos are refused. */
const videoEngineVariables = {
  VIDEO_ENGINE: wordOf(["service", "worker"]).default("service"),
};

/** Limits on a video, both as its container declares it and after its frames are counted. */
const videoLengthVariables = {
  MAX_VIDEO_FRAMES_PER_SECOND: numberOf("MAX_VIDEO_FRAMES_PER_SECOND").default(60),
  MAX_VIDEO_SECONDS: numberOf("MAX_VIDEO_SECONDS").default(3600),
};

/** The variables of the API Worker. */
export const apiVariables = {
  ...detectorVariables,
  ...dashboardVariables,
  ...videoLengthVariables,
  ...videoEngineVariables,
  LOCAL_DEVELOPMENT: z
    .stringbool({
      error: ({ input }) =>
        `Found ${JSON.stringify(String(input).slice(0, MOST_SHOWN_CHARACTERS))}. Expected true or false.`,
    })
    .default(false),
  PUBLIC_URL: optionalUrl,
  CORS_ORIGINS: z
    .string()
    .default("")
    .transform((value) => value.split(/[\s,]+/).filter((origin) => origin !== "")),
  UPSTASH_REDIS_REST_URL: optionalUrl,
  UPSTASH_REDIS_REST_TOKEN: optionalSecret,
  RATE_LIMIT_TIMEOUT_MS: numberOf("RATE_LIMIT_TIMEOUT_MS").default(1000),
  MAX_FILE_BYTES: numberOf("MAX_FILE_BYTES").default(100_000_000),
  MAX_RESUMABLE_FILE_BYTES: numberOf("MAX_RESUMABLE_FILE_BYTES").default(5_000_000_000),
  RESUMABLE_UPLOAD_HOURS: numberOf("RESUMABLE_UPLOAD_HOURS").default(24),
  MAX_RESUMABLE_UPLOADS: numberOf("MAX_RESUMABLE_UPLOADS").default(200),
  MAX_RESUMABLE_BYTES: numberOf("MAX_RESUMABLE_BYTES").default(50_000_000_000),
  MAX_QUEUED_JOBS: numberOf("MAX_QUEUED_JOBS").default(20_000),
  MAX_QUEUE_AGE_SECONDS: numberOf("MAX_QUEUE_AGE_SECONDS").default(86_400),
  MAX_IMAGE_MEGAPIXELS: numberOf("MAX_IMAGE_MEGAPIXELS").default(100),
  MAX_BUFFERED_IMAGE_MEGAPIXELS: numberOf("MAX_BUFFERED_IMAGE_MEGAPIXELS").default(16),
  MAX_VIDEO_LONG_SIDE_PIXELS: numberOf("MAX_VIDEO_LONG_SIDE_PIXELS").optional(),
  MAX_VIDEO_SHORT_SIDE_PIXELS: numberOf("MAX_VIDEO_SHORT_SIDE_PIXELS").optional(),
  UPLOAD_IDLE_TIMEOUT_SECONDS: numberOf("UPLOAD_IDLE_TIMEOUT_SECONDS").default(60),
  UPLOAD_MIN_BYTES_PER_SECOND: numberOf("UPLOAD_MIN_BYTES_PER_SECOND").default(1000),
  UPLOAD_RATE_WINDOW_SECONDS: numberOf("UPLOAD_RATE_WINDOW_SECONDS").default(30),
  UPLOAD_TIMEOUT_SECONDS: numberOf("UPLOAD_TIMEOUT_SECONDS").default(3600),
  SOURCE_URL_TIMEOUT_SECONDS: numberOf("SOURCE_URL_TIMEOUT_SECONDS").default(75),
  WEBHOOK_SECRET_KEYS: aesKeys,
  WEBHOOK_TIMEOUT_SECONDS: numberOf("WEBHOOK_TIMEOUT_SECONDS").default(10),
  DNS_RESOLVER_URL: z
    .url({ protocol: /^https?$/, error: "Expected a URL that begins with http:// or https://." })
    .default("https://cloudflare-dns.com/dns-query"),
};

/** The variables of the image Worker. */
export const imageVariables = {
  ...detectorVariables,
  ...retentionVariables,
  LEASE_SECONDS: numberOf("LEASE_SECONDS").default(60),
};

/** The variables of the video Worker. */
export const videoVariables = {
  ...detectorVariables,
  ...retentionVariables,
  ...videoLengthVariables,
  ...videoEngineVariables,
  LEASE_SECONDS: numberOf("LEASE_SECONDS").default(60),
  VIDEO_PARALLEL_SEGMENTS: numberOf("VIDEO_PARALLEL_SEGMENTS").default(8),
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

/** The faults of a Worker's variables that are set: a sentence by name. Secrets and URLs are not repeated. */
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
