/** A figure that was not measured here, and where it is from. */
export interface Assumption {
  readonly value: number;
  readonly unit: string;
  readonly source: string;
}

const QUEUES = "https://developers.cloudflare.com/queues/platform/limits/";
const YOLO = "https://docs.ultralytics.com/models/yolo11/";
const COSTS = "docs/costs.md";
const CHOSEN = "Chosen for this simulation";

/** Everything that the simulation assumes. What it measures is in `service-times.ts`. */
export const ASSUMPTIONS = {
  queueMessagesASecond: { value: 5_000, unit: "messages/s", source: QUEUES },
  consumersAtOnce: { value: 250, unit: "invocations", source: QUEUES },
  databaseBytes: {
    value: 10e9,
    unit: "bytes",
    source: "https://developers.cloudflare.com/d1/platform/limits/",
  },
  queueDelivery: { value: 100, unit: "ms", source: `${CHOSEN}: Cloudflare publishes no figure` },
  storageCall: { value: 30, unit: "ms", source: `${CHOSEN}: Cloudflare publishes no latency of R2` },
  /** Of R2's 13 operations a photo, those that its job waits for one after the other. */
  storageCallsOfJob: { value: 6, unit: "calls", source: "src/work/images/image-redaction.ts" },
  /** YOLO11n at 640 pixels: 56.1 ms by ONNX on a CPU, 1.5 ms by TensorRT on an NVIDIA T4. */
  cardSpeedup: { value: 56.1 / 1.5, unit: "times a CPU", source: `${YOLO}. No card was measured here` },
  hostProcessors: { value: 4, unit: "vCPU", source: `${CHOSEN}: the size of a small cloud host with one T4` },
  hostPriceAnHour: { value: 0.6, unit: "$", source: COSTS },
  /** Of each resource that is bought in pieces, the share that is used in the busiest hour. */
  mostUtilization: { value: 0.7, unit: "share", source: CHOSEN },
  cloudflareAThousandPhotos: { value: 0.22, unit: "$", source: COSTS },
  cloudflareAnHourOfVideo: { value: 0.41, unit: "$", source: COSTS },
  photoMegapixels: { value: 12, unit: "megapixels", source: COSTS },
  /** CPU time a megapixel beside painting, for thumbnails, as a multiple of painting. */
  thumbnails: { value: 1, unit: "times painting", source: `${COSTS} doubles it` },
  pollsAPhoto: { value: 5, unit: "polls", source: COSTS },
  framesAnHour: { value: 90_000, unit: "frames", source: `${COSTS}: 25 a second` },
  detectedFramesASecond: { value: 6, unit: "frames", source: `${COSTS}: at most 6 a second are looked at` },
  segmentSeconds: { value: 4, unit: "s", source: COSTS },
  /** Each segment is analyzed and rendered by a job of its own. */
  jobsASegment: { value: 2, unit: "jobs", source: "docs/architecture.md" },
  videoShare: { value: 0.01, unit: "of media", source: CHOSEN },
  videoSeconds: { value: 60, unit: "s", source: CHOSEN },
  accounts: { value: 1_000, unit: "accounts", source: "The question" },
  burstyAccounts: { value: 100, unit: "accounts", source: CHOSEN },
  burstyShare: { value: 0.8, unit: "of media", source: CHOSEN },
  burstShape: { value: 1.2, unit: "shape of a Pareto distribution", source: CHOSEN },
  smallestBurst: { value: 10, unit: "photos", source: CHOSEN },
  largestBurst: { value: 5_000, unit: "photos", source: CHOSEN },
  /** The fastest that a rate limit of 1,000 requests a minute lets a script send. */
  burstInterval: { value: 60, unit: "ms", source: "docs/limits.md, the plan Scale" },
  /** The busiest hour of a sine over the day, as a multiple of the mean. */
  peak: { value: 1.8, unit: "times the mean", source: CHOSEN },
  webhookShare: { value: 1, unit: "events a medium", source: `${CHOSEN}: each account has one endpoint` },
  webhookAnswer: { value: 200, unit: "ms", source: CHOSEN },
  webhookWrites: { value: 2, unit: "transactions", source: "A claim and an outcome: src/work/webhooks/" },
  mostQueued: { value: 20_000, unit: "jobs", source: "docs/limits.md, MAX_QUEUED_JOBS" },
  imagesAPermit: { value: 10, unit: "jobs", source: "src/work/images/image-jobs.service.ts" },
  permit: { value: 15_000, unit: "ms", source: "src/work/jobs/run-permit.ts" },
} as const satisfies Readonly<Record<string, Assumption>>;

/** The value of an assumption. */
export function assumed(name: keyof typeof ASSUMPTIONS): number {
  return ASSUMPTIONS[name].value;
}
