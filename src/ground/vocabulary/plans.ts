/** The limits of a plan. Null means unlimited. */
export interface PlanLimits {
  readonly requestsPerMinute: number | null;
  readonly imagesPerPeriod: number | null;
  readonly videoMinutesPerPeriod: number | null;
}

/** The plans, in the order they are offered. Enterprise limits are set per account. */
export const PLANS = {
  Free: { requestsPerMinute: 60, imagesPerPeriod: 50, videoMinutesPerPeriod: 5 },
  Starter: { requestsPerMinute: 120, imagesPerPeriod: 1_000, videoMinutesPerPeriod: 60 },
  Pro: { requestsPerMinute: 300, imagesPerPeriod: 10_000, videoMinutesPerPeriod: 600 },
  Scale: { requestsPerMinute: 1_000, imagesPerPeriod: 100_000, videoMinutesPerPeriod: 6_000 },
  Enterprise: { requestsPerMinute: null, imagesPerPeriod: null, videoMinutesPerPeriod: null },
} as const satisfies Record<string, PlanLimits>;

export type PlanName = keyof typeof PLANS;

export const PLAN_NAMES = Object.keys(PLANS) as [PlanName, ...PlanName[]];

/** Limits that are set for one account. Null means the plan's limit. */
export interface LimitOverrides {
  readonly requestsPerMinute: number | null;
  readonly imagesPerPeriod: number | null;
  readonly videoMinutesPerPeriod: number | null;
}

/** An account's limits: its own if they are set, or else its plan's. */
export function effectiveLimits(plan: PlanName, overrides: LimitOverrides): PlanLimits {
  const base = PLANS[plan];
  return {
    requestsPerMinute: overrides.requestsPerMinute ?? base.requestsPerMinute,
    imagesPerPeriod: overrides.imagesPerPeriod ?? base.imagesPerPeriod,
    videoMinutesPerPeriod: overrides.videoMinutesPerPeriod ?? base.videoMinutesPerPeriod,
  };
}
