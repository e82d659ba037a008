import { env } from "cloudflare:workers";
import { beforeEach, expect, test } from "vitest";
import { createAccount } from "../support/accounts.ts";
import { answerDetections, deliver, oneHead, queuedMedia } from "../support/jobs.ts";
import { beginQuietly } from "../support/quiet-start.ts";

/** How many images one permit processes. */
const IMAGES_A_PERMIT = 10;

beginQuietly();

beforeEach(() => {
  answerDetections(oneHead);
});

/** The owners of the completed images, in order of completion. */
async function completedOwners(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT media_detections.account_id AS owner FROM media_detections JOIN media ON media.id = media_id ORDER BY media_detections.rowid",
  ).all<{ owner: string }>();
  return results.map(({ owner }) => owner);
}

test("a permit that was sent for one account's photo serves the account whose turn it is", async () => {
  const burst = await createAccount({ plan: "Pro" });
  const other = await createAccount({ plan: "Pro" });
  const sentFor = await queuedMedia(burst.accountId);
  for (let photo = 0; photo < 3; photo++) await queuedMedia(burst.accountId);
  await queuedMedia(other.accountId);
  await deliver(sentFor.mediaId);
  const owners = await completedOwners();
  expect(owners.slice(0, 2).toSorted()).toEqual([burst.accountId, other.accountId].toSorted());
  expect(owners).toHaveLength(5);
});

test("where all permits but one were lost, that one's holder comes to every job", async () => {
  const { accountId } = await createAccount({ plan: "Pro" });
  const { mediaId } = await queuedMedia(accountId);
  for (let photo = 0; photo < IMAGES_A_PERMIT + 1; photo++) await queuedMedia(accountId);
  // A used-up permit sends another one while work remains.
  expect(await deliver(mediaId)).toEqual({ isAcknowledged: true, delaySeconds: 0 });
  expect(await completedOwners()).toHaveLength(IMAGES_A_PERMIT);
  expect(await deliver(mediaId)).toEqual({ isAcknowledged: true, delaySeconds: undefined });
  expect(await completedOwners()).toHaveLength(IMAGES_A_PERMIT + 2);
});

test("a surplus permit does nothing, nor does one whose account runs all it may", async () => {
  const { accountId } = await createAccount({ plan: "Free" });
  const { mediaId } = await queuedMedia(accountId);
  await deliver(mediaId);
  expect(await deliver(mediaId)).toEqual({ isAcknowledged: true, delaySeconds: undefined });
  const { mediaId: waiting } = await queuedMedia(accountId);
  await env.DB.prepare("UPDATE account_turns SET running = 2 WHERE account_id = ?").bind(accountId).run();
  expect(await deliver(waiting)).toEqual({ isAcknowledged: true, delaySeconds: undefined });
  expect(await completedOwners()).toHaveLength(1);
  await env.DB.prepare("UPDATE account_turns SET running = 1 WHERE account_id = ?").bind(accountId).run();
  await deliver(waiting);
  expect(await completedOwners()).toHaveLength(2);
});
