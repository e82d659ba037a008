import { env } from "cloudflare:workers";
import type { World } from "./world.ts";

/** The failure codes that a valid file may end with: faults that lasted for all nine attempts. */
const PASSING = new Set(["retries_spent", "worker_lost"]);
/** A revision fails for good if the file that it was made from was deleted. */
const PASSING_OF_REVISIONS = new Set([...PASSING, "source_missing"]);

/** The objects of an account, without its prefix. */
export async function objectsOf(accountId: string): Promise<string[]> {
  const { objects } = await env.MEDIA.list({ prefix: `${accountId}/` });
  return objects.map(({ key }) => key.slice(accountId.length + 1)).toSorted();
}

/** The violated invariants of a world at rest; empty if there are none. */
export async function violationsOf(world: World): Promise<string[]> {
  const { accountId } = world.account;
  const home = await world.home();
  const rows = async <T>(sql: string, account: string): Promise<T[]> =>
    (await home.prepare(sql).bind(account).all<T>()).results;
  const found = [...world.violations];
  const media = await rows<{
    id: string;
    status: string;
    sourceDeletedAt: number | null;
    failureCode: string | null;
    isRevision: number;
  }>(
    `SELECT id, status, source_deleted_at AS sourceDeletedAt, failure_code AS failureCode,
       EXISTS (SELECT 1 FROM media_revisions WHERE media_id = media.id) AS isRevision FROM media WHERE account_id = ?`,
    accountId,
  );
  const byId = new Map(media.map((row) => [row.id, row]));
  for (const { media: accepted, isDeleted, key } of world.uploads) {
    if (accepted === undefined) continue;
    const status = byId.get(accepted.id)?.status;
    if (isDeleted && status !== undefined) found.push(`${key} was deleted and is ${status}.`);
    if (!isDeleted && status !== "completed" && status !== "failed") found.push(`${key} ended as ${status}.`);
  }
  for (const { id, status, failureCode, isRevision } of media) {
    const passing = isRevision === 1 ? PASSING_OF_REVISIONS : PASSING;
    if (status !== "completed" && status !== "failed") found.push(`${id} rests as ${status}.`);
    if (failureCode !== null && !passing.has(failureCode)) found.push(`${id} failed by ${failureCode}.`);
  }

  const events = await rows<{ id: string; mediaId: string; kind: string }>(
    "SELECT id, media_id AS mediaId, kind FROM events WHERE account_id = ?",
    accountId,
  );
  for (const { id, status } of media) {
    const kinds = events.filter(({ mediaId }) => mediaId === id).map(({ kind }) => kind);
    const kind = status === "completed" ? "media.processed" : "media.failed";
    const count = kinds.filter((other) => other === "media.processed" || other === "media.failed").length;
    if (count !== 1 || !kinds.includes(kind))
      found.push(`${id} is ${status} and has the events ${kinds.join(", ")}.`);
  }
  const deliveries = await rows<{ eventId: string; status: string; failures: number }>(
    "SELECT event_id AS eventId, status, failures FROM webhook_deliveries WHERE account_id = ?",
    accountId,
  );
  for (const { eventId, status, failures } of deliveries) {
    const isDelivered = status === "delivered" && world.outside.received.has(eventId);
    // By contract, a delivery fails after nine failures in a row.
    if (!isDelivered && failures < 9) found.push(`${eventId} is ${status} after ${failures} failures.`);
  }
  const eventsWithout = events.filter(({ id }) => !deliveries.some(({ eventId }) => eventId === id));
  for (const { id, mediaId } of eventsWithout) {
    // Delivered events are deleted together with their media item.
    if (byId.has(mediaId)) found.push(`${id} has no delivery.`);
  }

  const [usage] = await rows<{ used: number; reserved: number }>(
    "SELECT sum(used_units) AS used, sum(reserved_units) AS reserved FROM usage WHERE account_id = ?",
    accountId,
  );
  const completed = media.filter(
    ({ status, isRevision }) => status === "completed" && isRevision === 0,
  ).length;
  const deleted = world.uploads.filter(({ isDeleted }) => isDeleted).length;
  const { used = 0, reserved = 0 } = usage ?? {};
  if (reserved !== 0) found.push(`${reserved} units stay reserved.`);
  if (used < completed || used > completed + deleted) {
    found.push(`${used} units are used by ${completed} completed and ${deleted} deleted.`);
  }

  const turns = await rows<{ queue: string; waiting: number; running: number }>(
    "SELECT queue, waiting, running FROM account_turns WHERE account_id = ? AND (waiting <> 0 OR running <> 0)",
    accountId,
  );
  for (const { queue, waiting, running } of turns) {
    found.push(`At rest ${waiting} of ${queue} wait and ${running} run.`);
  }

  const outputs = media.filter(({ status }) => status === "completed").map(({ id }) => `${id}/output`);
  const sources = media
    .filter(({ sourceDeletedAt }) => sourceDeletedAt === null)
    .map(({ id }) => `${id}/source`);
  const expectedObjects = [...outputs, ...sources];
  const objects = await objectsOf(accountId);
  for (const key of objects) {
    // A thumbnail is optional and belongs to its output.
    const told = key.replace(/\/thumbnail$/, "/output");
    if (!expectedObjects.includes(told)) found.push(`${key} is an orphan.`);
  }
  for (const key of expectedObjects) if (!objects.includes(key)) found.push(`${key} is missing.`);
  return found;
}
