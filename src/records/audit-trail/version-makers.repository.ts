import type { Database } from "../../ground/platform/database.ts";
import { firstIdAt } from "../audit/audit.repository.ts";
import type { ACTOR_KINDS, AuditKind } from "../audit/audit.table.ts";

/** The fields of a version by which the trail is searched for the actor who made it. */
export interface MadeVersion {
  readonly id: string;
  readonly requestId: string;
  readonly createdAt: number;
  /** When its job ended, or the current time while it runs. */
  readonly endedAt: number;
}

/** The actions that make a version of a file. */
type MakingKind = Extract<
  AuditKind,
  | "media.uploaded"
  | "media.revised"
  | "media.restored"
  | "media.retried"
  | "media.approved"
  | "media.corrected"
>;

/** Who made a version of a file, and how. */
export interface VersionMaker {
  readonly versionId: string;
  readonly kind: MakingKind;
  /** The version that it was made from; undefined for an upload. */
  readonly parentId: string | null;
  readonly actorKind: (typeof ACTOR_KINDS)[number];
  /** The name of today; null of a user or key that is gone. */
  readonly actorName: string | null;
}

/**
 * Finds who made versions of an account's files. Versions whose audit entries have expired are missing. The query is written by hand,
 * because it joins a list of values.
 */
export async function findVersionMakers(
  { raw }: Database,
  accountId: string,
  versions: readonly MadeVersion[],
): Promise<VersionMaker[]> {
  // An entry is written by the request that makes a version, before the job of that version ends.
  const searched = versions.map(({ id, requestId, createdAt, endedAt }) => ({
    id,
    requestId,
    from: firstIdAt(createdAt),
    until: firstIdAt(endedAt + 1),
  }));
  const { results } = await raw
    .prepare(
      `SELECT version.value ->> '$.id' AS versionId, entry.kind, entry.actor_kind AS actorKind,
         CASE WHEN entry.kind IN ('media.approved', 'media.corrected') THEN entry.subject_id
              WHEN entry.kind <> 'media.uploaded' THEN entry.detail END AS parentId,
         coalesce(actor.name, actor_key.name) AS actorName
       FROM json_each(?2) AS version
       JOIN audit_entries AS entry ON entry.account_id = ?1
         AND entry.kind IN ('media.uploaded', 'media.revised', 'media.restored', 'media.retried', 'media.approved', 'media.corrected')
         AND entry.id >= version.value ->> '$.from' AND entry.id < version.value ->> '$.until'
         AND entry.request_id = version.value ->> '$.requestId'
         AND CASE WHEN entry.kind IN ('media.approved', 'media.corrected')
               THEN substr(entry.detail, 1, length(version.value ->> '$.id')) ELSE entry.subject_id END = version.value ->> '$.id'
       LEFT JOIN users AS actor ON actor.id = entry.actor_id
       LEFT JOIN api_keys AS actor_key ON actor_key.id = entry.actor_id AND actor_key.account_id = entry.account_id`,
    )
    .bind(accountId, JSON.stringify(searched))
    .all<VersionMaker>();
  return results;
}
