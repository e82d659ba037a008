/** The kinds of events. An endpoint subscribes to some of them. */
export const EVENT_KINDS = ["media.processed", "media.failed", "media.source_deleted"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
