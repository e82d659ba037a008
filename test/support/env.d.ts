declare namespace Cloudflare {
  interface GlobalProps {
    mainModule: typeof import("../../src/entries/api.worker.ts");
  }
  interface Env {
    DB: D1Database;
    /** Only where a project has a second database. */
    DB_2: D1Database;
    /** Only where a project has one, without tables. */
    SPARE_DB: D1Database;
    MEDIA: R2Bucket;
    IMAGE_JOBS: Queue;
    VIDEO_JOBS: Queue;
    WEBHOOK_JOBS: Queue;
    RATE_LIMITER: DurableObjectNamespace<
      import("../../src/intake/limits/rate-limit.durable-object.ts").RateLimiter
    >;
    ENDPOINT_URL: string;
    FAULT_SEEDS: string;
    RECEIVER_URL: string;
    REDIS_URL: string;
    REDIS_TOKEN: string;
    SOURCE_SERVER_URL: string;
    TEST_MIGRATIONS: import("cloudflare:test").D1Migration[];
  }
}
