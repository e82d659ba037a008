import type { Database } from "../../ground/platform/database.ts";
import type { DatabaseName } from "../../ground/vocabulary/database-names.ts";
import type { MoveStep } from "../../records/directory/directory.table.ts";
import type { FrozenAccount } from "../../records/directory/frozen.repository.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import type { Permit } from "../../ground/platform/permits.ts";
import type { WebhookJob } from "../../records/events/delivery-permits.ts";

/** A move that has not ended: its step, and the progress of that step. */
export interface AccountMove extends FrozenAccount {
  /** Where the account is. From `opening` on, that is where it was moved to. */
  readonly databaseName: DatabaseName;
  readonly movingTo: DatabaseName;
  /** Where the account was when the move began. */
  readonly movingFrom: DatabaseName;
  readonly step: MoveStep;
  readonly stepTable: string | null;
  readonly stepRow: number | null;
  readonly requestedAt: number;
}

/** An account's place, and its move if there is one. */
export type AccountPlace = Pick<AccountMove, "databaseName"> &
  Readonly<{ [Field in "movingTo" | "step" | "stepTable"]: AccountMove[Field] | null }> & {
    readonly movedAt: number | null;
  };

const MOVE = `account_id AS accountId, move_number AS moveNumber, database_name AS databaseName, moving_to AS movingTo,
  moving_from AS movingFrom, step, step_table AS stepTable, step_row AS stepRow, requested_at AS requestedAt`;

/** The moves that have not ended, oldest first. */
export async function findMoves({ raw }: Database, limit: number): Promise<AccountMove[]> {
  const { results } = await raw
    .prepare(`SELECT ${MOVE} FROM account_locations WHERE step IS NOT NULL ORDER BY requested_at LIMIT ?1`)
    .bind(limit)
    .all<AccountMove>();
  return results;
}

/** Where an account is, and the progress of its move. Undefined for an account that was never moved. */
export async function findPlace({ raw }: Database, accountId: string): Promise<AccountPlace | undefined> {
  const { results } = await raw
    .prepare(
      `SELECT database_name AS databaseName, moving_to AS movingTo, step, step_table AS stepTable, moved_at AS movedAt
       FROM account_locations WHERE account_id = ?1`,
    )
    .bind(accountId)
    .all<AccountPlace>();
  return results[0];
}

/** Requests a move. Does nothing if a move is in progress or the account is already there. */
export async function insertMove(
  { raw }: Database,
  { accountId, movingTo, nowMs }: { accountId: string; movingTo: DatabaseName; nowMs: number },
): Promise<void> {
  await raw
    .prepare(
      `INSERT INTO account_locations (account_id, database_name, move_number, moving_from, moving_to, step, requested_at)
       SELECT id, 'DB', 1, 'DB', ?2, 'freezing', ?3 FROM accounts WHERE id = ?1 AND deletion_requested_at IS NULL
         AND (?2 <> 'DB' OR EXISTS (SELECT 1 FROM account_locations WHERE account_id = ?1))
       ON CONFLICT (account_id) DO UPDATE SET move_number = account_locations.move_number + 1, moving_from = account_locations.database_name,
         moving_to = excluded.moving_to, step = excluded.step, step_table = NULL, step_row = NULL, requested_at = excluded.requested_at
       WHERE account_locations.step IS NULL AND account_locations.database_name <> excluded.moving_to`,
    )
    .bind(accountId, movingTo, nowMs)
    .run();
}

/** Cancels a move that has not reached its last step. @returns whether there was one */
export async function abortMove({ raw }: Database, accountId: string): Promise<boolean> {
  const { meta } = await raw
    .prepare(
      `UPDATE account_locations SET step = 'aborting', step_table = NULL, step_row = NULL
       WHERE account_id = ?1 AND step IN ('freezing', 'clearing', 'copying', 'comparing')`,
    )
    .bind(accountId)
    .run();
  return meta.changes > 0;
}

/** Enters the next step of a move, unless another run has already done so. @returns whether this call did */
export async function enterStep(
  { raw }: Database,
  { accountId, moveNumber, step }: AccountMove,
  next: MoveStep,
): Promise<boolean> {
  const { meta } = await raw
    .prepare(
      `UPDATE account_locations SET step = ?4, step_table = NULL, step_row = NULL
       WHERE account_id = ?1 AND move_number = ?2 AND step = ?3`,
    )
    .bind(accountId, moveNumber, step, next)
    .run();
  return meta.changes > 0;
}

/** Records the progress of a step if it is still the current one. @returns whether it is */
export async function saveProgress(
  { raw }: Database,
  { accountId, moveNumber, step }: AccountMove,
  progress: { readonly table: string; readonly row: number },
): Promise<boolean> {
  const { meta } = await raw
    .prepare(
      `UPDATE account_locations SET step_table = ?4, step_row = ?5 WHERE account_id = ?1 AND move_number = ?2 AND step = ?3`,
    )
    .bind(accountId, moveNumber, step, progress.table, progress.row)
    .run();
  return meta.changes > 0;
}

/** The one statement that moves the account: from here on, its data is where it was copied to. */
export async function switchPlace(
  { raw }: Database,
  { accountId, moveNumber }: FrozenAccount,
): Promise<void> {
  await raw
    .prepare(
      `UPDATE account_locations SET database_name = moving_to, step = 'opening', step_table = NULL, step_row = NULL
       WHERE account_id = ?1 AND move_number = ?2 AND step = 'comparing'`,
    )
    .bind(accountId, moveNumber)
    .run();
}

/** Ends a move. @param movedAtMs null if it was canceled */
export async function endMove(
  { raw }: Database,
  { accountId, moveNumber, step }: AccountMove,
  movedAtMs: number | null,
): Promise<void> {
  await raw
    .prepare(
      `UPDATE account_locations SET step = NULL, step_table = NULL, step_row = NULL, moving_to = NULL, moving_from = NULL,
         moved_at = coalesce(?4, moved_at)
       WHERE account_id = ?1 AND move_number = ?2 AND step = ?3`,
    )
    .bind(accountId, moveNumber, step, movedAtMs)
    .run();
}

/** Some of an account's media that wait for a worker. */
export async function findWaitingMedia(
  { raw }: Database,
  accountId: string,
  limit: number,
): Promise<(Permit & { readonly mediaType: MediaType })[]> {
  const { results } = await raw
    .prepare(
      `SELECT id AS mediaId, request_id AS requestId, media_type AS mediaType FROM media
       WHERE account_id = ?1 AND status = 'queued' LIMIT ?2`,
    )
    .bind(accountId, limit)
    .all<Permit & { readonly mediaType: MediaType }>();
  return results;
}

/** Some of an account's deliveries that wait for an attempt. */
export async function findWaitingDeliveries(
  { raw }: Database,
  accountId: string,
  limit: number,
): Promise<WebhookJob[]> {
  const { results } = await raw
    .prepare(
      `SELECT delivery.id AS deliveryId, events.request_id AS requestId
       FROM webhook_deliveries AS delivery JOIN events ON events.id = delivery.event_id
       WHERE delivery.account_id = ?1 AND delivery.next_attempt_at IS NOT NULL AND delivery.locked_until IS NULL LIMIT ?2`,
    )
    .bind(accountId, limit)
    .all<WebhookJob>();
  return results;
}
