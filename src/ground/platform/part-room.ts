/** R2 requires parts of at least 5 MiB, all equal except the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/**
 * The initial size of a part's buffer, because a request may contain only a few bytes. There are only three sizes, so that
 * memory can be reused.
 */
const FIRST_ROOM_BYTES = PART_BYTES / 64;
const ROOM_GROWTH = 8;

/** A buffer for the first bytes of a part. */
export function firstRoom(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(FIRST_ROOM_BYTES);
}

/** Returns the same buffer or, if it is too small, a larger one with its content. The small buffer's memory is freed at once. */
export function withRoom(room: Uint8Array<ArrayBuffer>, neededBytes: number): Uint8Array<ArrayBuffer> {
  let roomBytes = room.length;
  while (roomBytes < neededBytes) roomBytes *= ROOM_GROWTH;
  return roomBytes > room.length ? new Uint8Array(room.buffer.transfer(roomBytes)) : room;
}
