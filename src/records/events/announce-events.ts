import { sendPermits } from "../../ground/platform/permits.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { findJobsOfEvents } from "./event-deliveries.repository.ts";

/**
 * Queues the deliveries of events that were just written. Never throws, because the sweeper repeats what fails here.
 */
export async function announceEvents(
  config: Pick<ApiEnv, "DB" | "WEBHOOK_JOBS">,
  eventIds: readonly string[],
): Promise<void> {
  try {
    const jobs = await findJobsOfEvents(openDatabase(config.DB, "primary"), eventIds);
    await sendPermits(config.WEBHOOK_JOBS, jobs);
  } catch (error) {
    log("warn", "webhook.announce_postponed", { events: eventIds.length, ...errorFields(error) });
  }
}
