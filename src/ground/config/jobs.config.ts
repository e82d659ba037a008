import { wholeNumber } from "./values.ts";

/** The depth and age of the queues from which uploads are refused. */
export const queueVariables = {
  MAX_QUEUED_JOBS: wholeNumber({ unit: "jobs", least: 1, most: 10_000_000, byDefault: 20_000 }),
  MAX_QUEUE_AGE_SECONDS: wholeNumber({ unit: "seconds", least: 60, most: 604_800, byDefault: 86_400 }),
};

/** How long a worker holds a job without renewing it. */
export const leaseVariables = {
  LEASE_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 900, byDefault: 60 }),
};
