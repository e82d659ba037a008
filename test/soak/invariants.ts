import { join } from "node:path";
import { getPlatformProxy } from "wrangler";
import type { SoakUpload } from "./client.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

interface MediaRow {
  readonly id: string;
  readonly accountId: string;
  readonly status: string;
  readonly failureCode: string | null;
  readonly sourceDeletedAt: number | null;
  readonly leaseExpiresAt: number | null;
}

interface Bindings {
  readonly DB: {
    prepare(sql: string): { all(): Promise<{ results: unknown[] }> };
  };
  readonly MEDIA: {
    list(options: { cursor?: string }): Promise<{
      objects: { key: string }[];
      truncated: boolean;
      cursor?: string;
    }>;
  };
}

/** The failure codes that a valid file may end with: faults that lasted for all attempts. */
const PASSING = new Set(["retries_spent", "worker_lost"]);

/** The violated invariants of a stopped service's data; empty if there are none. */
export async function violationsOf(
  directory: string,
  uploads: readonly SoakUpload[],
  received: ReadonlySet<string>,
): Promise<string[]> {
  const proxy = await getPlatformProxy({
    configPath: join(ROOT, "wrangler.toml"),
    persist: { path: join(directory, "state", "v3") },
    envFiles: [],
  });
  try {
    return await look(proxy.env as unknown as Bindings, uploads, received);
  } finally {
    await proxy.dispose();
  }
}

async function look(
  { DB, MEDIA }: Bindings,
  uploads: readonly SoakUpload[],
  received: ReadonlySet<string>,
): Promise<string[]> {
  const rows = async <T>(sql: string): Promise<T[]> => (await DB.prepare(sql).all()).results as T[];
  const found: string[] = [];
  const all = await rows<MediaRow>(
    `SELECT id, account_id AS accountId, status, failure_code AS failureCode, source_deleted_at AS sourceDeletedAt,
       lease_expires_at AS leaseExpiresAt
     FROM media`,
  );
  // The sweeper drops uploads that were never accepted once their lease has expired.
  const media = all.filter(({ status, leaseExpiresAt }) => status !== "pending" || leaseExpiresAt === null);
  const statuses = new Map(media.map(({ id, status }) => [id, status]));
  for (const { key, mediaId, status } of uploads) {
    if (mediaId === undefined) found.push(`${key} was never accepted.`);
    else if (statuses.get(mediaId) !== status) {
      found.push(`${mediaId} was told to be ${status} and is ${statuses.get(mediaId)}.`);
    }
  }
  const ids = uploads.map(({ mediaId }) => mediaId);
  if (new Set(ids).size !== ids.length) found.push("One media answers for two uploads.");
  for (const { id, status, failureCode } of media) {
    if (status !== "completed" && status !== "failed") found.push(`${id} rests as ${status}.`);
    if (failureCode !== null && !PASSING.has(failureCode)) found.push(`${id} failed by ${failureCode}.`);
  }
  if (media.length !== uploads.length) found.push(`${uploads.length} uploads made ${media.length} media.`);

  const events = await rows<{ id: string; mediaId: string; kind: string }>(
    "SELECT id, media_id AS mediaId, kind FROM events",
  );
  for (const { id, status } of media) {
    const kinds = events.filter(({ mediaId }) => mediaId === id).map(({ kind }) => kind);
    const wanted = status === "completed" ? "media.processed" : "media.failed";
    if (kinds.join(", ") !== wanted) found.push(`${id} is ${status} and has the events ${kinds.join(", ")}.`);
  }
  for (const { id } of events) if (!received.has(id)) found.push(`${id} was never delivered.`);
  const open = await rows<{ id: string }>("SELECT id FROM webhook_deliveries WHERE status <> 'delivered'");
  for (const { id } of open) found.push(`${id} is not delivered by its record.`);

  const [usage] = await rows<{ reserved: number }>("SELECT sum(reserved_units) AS reserved FROM usage");
  if ((usage?.reserved ?? 0) !== 0) found.push(`${usage?.reserved} units stay reserved.`);
  const used = await rows<{ mediaType: string; used: number; completed: number }>(
    `SELECT media_type AS mediaType, sum(used_units) AS used,
       (SELECT coalesce(sum(quota_units), 0) FROM media WHERE media.media_type = usage.media_type AND status = 'completed') AS completed
     FROM usage GROUP BY media_type`,
  );
  for (const { mediaType, used: units, completed } of used) {
    if (units !== completed) found.push(`${units} units of ${mediaType} are used, ${completed} completed.`);
  }

  const expected = new Set(
    media.flatMap(({ id, accountId, status, sourceDeletedAt }) => [
      `${accountId}/${id}/${status === "completed" ? "output" : "none"}`,
      `${accountId}/${id}/${sourceDeletedAt === null ? "source" : "none"}`,
    ]),
  );
  const objects = new Set<string>();
  let cursor: string | undefined;
  do {
    const page = await MEDIA.list(cursor === undefined ? {} : { cursor });
    for (const { key } of page.objects) objects.add(key);
    cursor = page.truncated ? page.cursor : undefined;
  } while (cursor !== undefined);
  for (const key of objects) {
    // The detections of a video belong to its record, and a thumbnail to its output.
    const told = key.replace(/\/(?:detections\.\d+|thumbnail)$/, "/output");
    if (!expected.has(told)) found.push(`${key} is an orphan.`);
  }
  for (const key of expected)
    if (!key.endsWith("/none") && !objects.has(key)) found.push(`${key} is missing.`);
  const tasks = await rows<{ media_id: string }>("SELECT media_id FROM video_tasks");
  for (const { media_id: id } of tasks) found.push(`${id} has a task left.`);
  return found;
}
