/** All states of a media item. */
export const MEDIA_STATUSES = [
  "pending",
  "queued",
  "processing",
  "completed",
  "failed",
  "quota_exceeded",
] as const;

export type MediaStatus = (typeof MEDIA_STATUSES)[number];

/** The states that may follow each state. Deletion, possible from all, removes the record itself. */
export const TRANSITIONS: Readonly<Record<MediaStatus, readonly MediaStatus[]>> = {
  pending: ["queued"],
  queued: ["processing", "completed", "failed", "quota_exceeded"],
  processing: ["queued", "completed", "failed", "quota_exceeded"],
  completed: [],
  failed: [],
  quota_exceeded: [],
};

/** The states from which `to` may be entered, as a conditional statement needs them. */
export function statesBefore(to: MediaStatus): readonly MediaStatus[] {
  return MEDIA_STATUSES.filter((from) => TRANSITIONS[from].includes(to));
}
