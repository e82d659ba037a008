import { CONFIG_FILES } from "./wrangler-configs.ts";

const DETECTOR_VARIABLES = [
  "DETECTOR",
  "INFERENCE_URL",
  "INFERENCE_TOKEN",
  "INFERENCE_ACCESS_CLIENT_ID",
  "INFERENCE_ACCESS_CLIENT_SECRET",
  "HUGGINGFACE_URL",
  "HUGGINGFACE_TOKEN",
  "HUGGINGFACE_LABELS",
  "DETECTION_TIMEOUT_SECONDS",
] as const;
/** How a Worker reaches the media service: it needs all of them or none. */
export const MEDIA_SERVICE_VARIABLES = ["MEDIA_SERVICE_URL", "MEDIA_SERVICE_TOKEN"] as const;
const JOB_VARIABLES = [
  ...DETECTOR_VARIABLES,
  "SOURCE_RETENTION_HOURS",
  "OUTPUT_RETENTION_DAYS",
  "LEASE_SECONDS",
] as const;

/** A Worker: its configuration, and the variables that `src/platform/variables.ts` lets it read. */
export interface WorkerScript {
  readonly kind: "api" | "image" | "video";
  readonly configFile: string;
  readonly variables: readonly string[];
}

/** The Workers in the order they are deployed: nothing is accepted before those that process it are there. */
export const WORKERS: readonly WorkerScript[] = [
  { kind: "image", configFile: CONFIG_FILES.image, variables: JOB_VARIABLES },
  {
    kind: "video",
    configFile: CONFIG_FILES.video,
    variables: [...JOB_VARIABLES, ...MEDIA_SERVICE_VARIABLES, "VIDEO_PARALLEL_SEGMENTS"],
  },
  {
    kind: "api",
    configFile: CONFIG_FILES.api,
    variables: [
      ...DETECTOR_VARIABLES,
      ...MEDIA_SERVICE_VARIABLES,
      "PUBLIC_URL",
      "CORS_ORIGINS",
      "UPSTASH_REDIS_REST_URL",
      "UPSTASH_REDIS_REST_TOKEN",
      "RATE_LIMIT_TIMEOUT_MS",
      "MAX_FILE_BYTES",
      "MAX_RESUMABLE_FILE_BYTES",
      "RESUMABLE_UPLOAD_HOURS",
      "MAX_RESUMABLE_UPLOADS",
      "MAX_RESUMABLE_BYTES",
      "MAX_IMAGE_MEGAPIXELS",
      "MAX_BUFFERED_IMAGE_MEGAPIXELS",
      "MAX_VIDEO_LONG_SIDE_PIXELS",
      "MAX_VIDEO_SHORT_SIDE_PIXELS",
      "MAX_VIDEO_FRAMES_PER_SECOND",
      "MAX_VIDEO_SECONDS",
      "UPLOAD_IDLE_TIMEOUT_SECONDS",
      "UPLOAD_MIN_BYTES_PER_SECOND",
      "UPLOAD_RATE_WINDOW_SECONDS",
      "UPLOAD_TIMEOUT_SECONDS",
      "SOURCE_URL_TIMEOUT_SECONDS",
      "WEBHOOK_SECRET_KEYS",
      "WEBHOOK_TIMEOUT_SECONDS",
      "DNS_RESOLVER_URL",
      "AUTH_SECRET",
      "SIGN_UP",
      "OPERATOR_EMAILS",
      "MAIL_URL",
      "MAIL_TOKEN",
      "MAIL_FROM",
      "GITHUB_CLIENT_ID",
      "GITHUB_CLIENT_SECRET",
      "GOOGLE_CLIENT_ID",
      "GOOGLE_CLIENT_SECRET",
    ],
  },
];
