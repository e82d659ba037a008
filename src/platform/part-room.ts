/** R2 takes parts of at least 5 MiB, all equal but the last. */
export const PART_BYTES = 5 * 1024 * 1024;

/** The initial size of a part's buffer, since a request may bring only a few bytes. There are only three sizes, so that memory can be reused. */
const FIRST_ROOM_BYTES = PART_BYTES / 64;
const ROOM_GROWTH = 8;

/** Room for the first bytes of a part. */
export function firstRoom(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(FIRST_ROOM_BYTES);
}

/** The same room, or where it is too small a larger one with what it held; the small one's memory is given back at once. */
export function withRoom(room: Uint8Array<ArrayBuffer>, neededBytes: number): Uint8Array<ArrayBuffer> {
  let roomBytes = room.length;
  while (roomBytes < neededBytes) roomBytes *= ROOM_GROWTH;
  return roomBytes > room.length ? new Uint8Array(room.buffer.transfer(roomBytes)) : room;
}
