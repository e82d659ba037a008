/** An event for the outbox, as its row. */
export interface OutboxEvent {
  readonly id: string;
  readonly kind: string;
  readonly payload: string;
}

/** The columns of an event, each as an SQL expression over `from`. */
export interface EventColumns {
  readonly id: string;
  readonly accountId: string;
  readonly mediaId: string;
  readonly kind: string;
  readonly payload: string;
  readonly requestId: string;
  readonly createdAt: string;
  /** The rows that the events are about: tables with their conditions. */
  readonly from: string;
}

/** SQL that writes events of media into the outbox. It belongs in the batch of the change that the events report. */
export function insertEvents(columns: EventColumns): string {
  const { id, accountId, mediaId, kind, payload, requestId, createdAt, from } = columns;
  return `INSERT INTO events (id, account_id, media_id, kind, payload, request_id, created_at)
    SELECT ${id}, ${accountId}, ${mediaId}, ${kind}, ${payload}, ${requestId}, ${createdAt} FROM ${from}
    ON CONFLICT (media_id, kind) DO NOTHING`;
}
