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

/** The first state of a media item: an upload waits for its file, a revision already has its source. */
export const FIRST_STATE = { upload: "pending", revision: "queued" } as const satisfies Readonly<
  Record<string, MediaStatus>
>;

/** The states that may follow each state. Deletion is possible from all states and removes the record itself. */
export const TRANSITIONS = {
  pending: ["queued"],
  queued: ["processing", "completed", "failed", "quota_exceeded"],
  processing: ["queued", "completed", "failed", "quota_exceeded"],
  completed: [],
  failed: [],
  quota_exceeded: [],
} as const satisfies Readonly<Record<MediaStatus, readonly MediaStatus[]>>;

/** Whether a state is final. */
export function hasEnded(status: MediaStatus): boolean {
  return TRANSITIONS[status].length === 0;
}

/** The states that `to` may follow. */
export function statesBefore(to: MediaStatus): readonly MediaStatus[] {
  return MEDIA_STATUSES.filter((from) => {
    const following: readonly MediaStatus[] = TRANSITIONS[from];
    return following.includes(to);
  });
}

/** A change of state as SQL over `media`: what a statement sets, and its condition. */
export interface StateChange<To extends MediaStatus = MediaStatus> {
  readonly to: To;
  readonly set: string;
  readonly when: string;
}

/** The change from one state to one that may follow it. */
export function moveState<From extends MediaStatus, To extends (typeof TRANSITIONS)[From][number]>(
  from: From,
  to: To,
): StateChange<To> {
  return { to, set: `status = '${to}'`, when: `status = '${from}'` };
}

/** The change to a state from any state that it may follow. */
export function enterState<To extends MediaStatus>(to: To): StateChange<To> {
  const before = statesBefore(to).map((from) => `'${from}'`);
  return { to, set: `status = '${to}'`, when: `status IN (${before.join(", ")})` };
}
