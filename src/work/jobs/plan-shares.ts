import { PLAN_NAMES, type PlanName } from "../../ground/vocabulary/plans.ts";
import type { QueueName } from "../../ground/vocabulary/queues.ts";

/** Each plan's share of the consumers if more jobs wait than can run. */
export interface PlanShare {
  /** How many jobs it gets while an account of weight 1 gets one. */
  readonly weight: number;
  /** The most of its jobs that run at once, by queue. Each segment of a video is a job. */
  readonly mostAtOnce: Readonly<Record<QueueName, number>>;
}

/** The weights are powers of two, so that sums of one divided by a weight are exact. */
export const PLAN_SHARES: Readonly<Record<PlanName, PlanShare>> = {
  Free: { weight: 1, mostAtOnce: { images: 2, videos: 2, webhooks: 5 } },
  Starter: { weight: 2, mostAtOnce: { images: 4, videos: 4, webhooks: 10 } },
  Pro: { weight: 4, mostAtOnce: { images: 8, videos: 8, webhooks: 20 } },
  Scale: { weight: 8, mostAtOnce: { images: 16, videos: 16, webhooks: 40 } },
  Enterprise: { weight: 16, mostAtOnce: { images: 32, videos: 32, webhooks: 80 } },
};

/** SQL for a number that depends on a plan. The numbers are constants in this file. */
function ofPlan(plan: string, choose: (share: PlanShare) => number): string {
  const cases = PLAN_NAMES.map((name) => `WHEN '${name}' THEN ${choose(PLAN_SHARES[name])}`);
  return `CASE ${plan} ${cases.join(" ")} END`;
}

/** SQL: the weight of a plan. @param plan SQL */
export function weightOf(plan: string): string {
  return ofPlan(plan, ({ weight }) => weight);
}

/** SQL: the most concurrent jobs in a queue for a plan. @param plan SQL */
export function mostAtOnce(queue: QueueName, plan: string): string {
  return ofPlan(plan, (share) => share.mostAtOnce[queue]);
}
