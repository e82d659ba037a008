import type { Database } from "../../ground/platform/database.ts";
import { firstIdAt } from "../audit/audit.repository.ts";
import type { ACTOR_KINDS, AuditKind } from "../audit/audit.table.ts";

/** Filters for an account's audit trail. */
export interface TrailFilter {
  readonly accountId: string;
  readonly kind?: AuditKind | undefined;
  readonly actorId?: string | undefined;
  /** Only entries about files with this name. */
  readonly file?: { readonly name: string; readonly digest: string } | undefined;
  readonly fromMs?: number | undefined;
  /** Exclusive. */
  readonly untilMs?: number | undefined;
}

/** An entry with readable names. Names are current ones; null if their owner no longer exists. */
export interface TrailEntry {
  readonly id: string;
  readonly createdAt: number;
  readonly kind: AuditKind;
  readonly actorKind: (typeof ACTOR_KINDS)[number];
  readonly actorId: string;
  readonly actorName: string | null;
  readonly actorEmail: string | null;
  readonly subjectId: string;
  /** The name of a user, key or invitation, or the host of a webhook endpoint. */
  readonly subjectName: string | null;
  /** The name of a file that still exists, or of a deleted one whose name is stored in plain text. */
  readonly fileName: string | null;
  /** Only for a deleted file. */
  readonly nameDigest: string | null;
  readonly detail: string | null;
  /** The reviewer's note that `detail` names, while its file is there. */
  readonly noteText: string | null;
  readonly requestId: string;
}

/**
 * A page of entries, latest first, before the entry `beforeId` if it is given. The query is written by hand, because it joins
 * users and keys twice, as the actor and as the subject.
 */
export async function listEntries(
  database: Database,
  { accountId, kind, actorId, file, fromMs, untilMs }: TrailFilter,
  { beforeId, limit }: { beforeId?: string | undefined; limit: number },
): Promise<TrailEntry[]> {
  const values: (string | number)[] = [];
  const bind = (value: string | number): string => `?${values.push(value)}`;
  const before = [untilMs === undefined ? [] : [firstIdAt(untilMs)], beforeId ?? []].flat().sort();
  const conditions = [
    `entry.account_id = ${bind(accountId)}`,
    ...(kind === undefined ? [] : [`entry.kind = ${bind(kind)}`]),
    ...(actorId === undefined ? [] : [`entry.actor_id = ${bind(actorId)}`]),
    ...(file === undefined
      ? []
      : [
          `entry.subject_id IN (SELECT id FROM media WHERE account_id = ?1 AND filename = ${bind(file.name)}
            UNION ALL SELECT media_id FROM deletion_records WHERE account_id = ?1 AND name_digest = ${bind(file.digest)})`,
        ]),
    ...(fromMs === undefined ? [] : [`entry.id >= ${bind(firstIdAt(fromMs))}`]),
    ...(before[0] === undefined ? [] : [`entry.id < ${bind(before[0])}`]),
  ];
  const { results } = await database.raw
    .prepare(
      `SELECT entry.id, entry.created_at AS createdAt, entry.kind, entry.actor_kind AS actorKind, entry.actor_id AS actorId,
         coalesce(actor.name, actor_key.name) AS actorName, actor.email AS actorEmail, entry.subject_id AS subjectId,
         coalesce(subject.name, subject_key.name, invitation.email) AS subjectName, endpoint.url AS endpointUrl,
         coalesce(file.filename, gone.name) AS fileName, gone.name_digest AS nameDigest,
         entry.detail, note.text AS noteText, entry.request_id AS requestId
       FROM audit_entries AS entry
       LEFT JOIN users AS actor ON actor.id = entry.actor_id
       LEFT JOIN api_keys AS actor_key ON actor_key.id = entry.actor_id AND actor_key.account_id = entry.account_id
       LEFT JOIN users AS subject ON subject.id = entry.subject_id
       LEFT JOIN api_keys AS subject_key ON subject_key.id = entry.subject_id AND subject_key.account_id = entry.account_id
       LEFT JOIN invitations AS invitation ON invitation.id = entry.subject_id AND invitation.account_id = entry.account_id
       LEFT JOIN webhook_endpoints AS endpoint ON endpoint.id = entry.subject_id AND endpoint.account_id = entry.account_id
       LEFT JOIN media AS file ON file.id = entry.subject_id AND file.account_id = entry.account_id
       LEFT JOIN deletion_records AS gone ON gone.media_id = entry.subject_id AND gone.account_id = entry.account_id
       LEFT JOIN review_notes AS note ON note.id = entry.detail AND note.account_id = entry.account_id
       WHERE ${conditions.join(" AND ")}
       ORDER BY entry.id DESC LIMIT ${bind(limit)}`,
    )
    .bind(...values)
    .all<TrailRow>();
  return results.map(withHost);
}

interface TrailRow extends TrailEntry {
  readonly endpointUrl: string | null;
}

/** Names an endpoint by its host, because the rest of its URL may contain secrets. */
function withHost({ endpointUrl, ...entry }: TrailRow): TrailEntry {
  if (endpointUrl === null) return entry;
  return { ...entry, subjectName: URL.parse(endpointUrl)?.host ?? null };
}

/** An actor to filter by. */
export interface TrailActor {
  readonly id: string;
  readonly name: string;
}

/** Who may have acted in an account: its current members and keys. Other actors in the trail can be found by their ID. */
export async function listActors(database: Database, accountId: string): Promise<TrailActor[]> {
  const { results } = await database.raw
    .prepare(
      `SELECT users.id, users.name || ' (' || users.email || ')' AS name FROM memberships
         JOIN users ON users.id = memberships.user_id WHERE memberships.account_id = ?1
       UNION ALL SELECT id, 'API key ' || name FROM api_keys WHERE account_id = ?1
       ORDER BY 2, 1`,
    )
    .bind(accountId)
    .all<TrailActor>();
  return results;
}
