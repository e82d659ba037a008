import { env } from "cloudflare:workers";
import { expect, test } from "vitest";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { readOverview } from "../../src/web/dashboard/overview/overview.data.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

test("a file that finishes while the overview is read is never shown as done beside a quota that reserves it", async () => {
  const { accountId, apiKey } = await createTeam(catchMails());
  const limits = await env.DB.prepare("SELECT anchor_day FROM accounts WHERE id = ?")
    .bind(accountId)
    .first<{ anchor_day: number }>();
  const caller = {
    accountId,
    plan: "free",
    requestsPerMinute: 60,
    anchorDay: limits?.anchor_day ?? 1,
    imagesPerPeriod: 50,
    videoMinutesPerPeriod: 10,
  };
  let shownWhileRunning = 0;
  for (let finishedAt = 1, calls = Infinity; finishedAt <= calls; finishedAt++) {
    const { id } = await uploaded(apiKey);
    const finish = async (): Promise<undefined> => {
      await completed(accountId, id);
      await env.DB.prepare("UPDATE usage SET reserved_units = 0, used_units = ?2 WHERE account_id = ?1")
        .bind(accountId, finishedAt)
        .run();
    };
    const hooked = faultyBindings(env, async (call) => (call === finishedAt ? await finish() : undefined));
    const { recent, images } = await readOverview(parseApiEnv({ ...env, ...hooked.bindings }), caller);
    if (recent.every(({ status }) => status === "completed")) expect(images.reserved).toBe(0);
    else shownWhileRunning += 1;
    calls = hooked.calls();
  }
  expect(shownWhileRunning).toBeGreaterThan(0);
});
