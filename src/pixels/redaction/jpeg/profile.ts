import { concatBytes, textBytes } from "../bytes/bytes.ts";
import { MAX_PROFILE_BYTES, rebuildProfile } from "../icc/profile.ts";

/** "ICC_PROFILE", a zero, the segment's number (from 1), and the number of segments (ICC.1:2022, B.4). */
const NAME = "ICC_PROFILE\0";
const HEAD_BYTES = NAME.length + 2;
/** Most bytes of the profile in one segment, within the limit of a segment's parameters (T.81, B.1.1.4). */
const MAX_PART_BYTES = 65_533 - HEAD_BYTES;

/** Collects the segments of a color profile, in any order, and returns the segments of the rebuilt profile. */
export class ProfileSegments {
  #parts: (Uint8Array | undefined)[] = [];
  #missing = 0;
  #sizeBytes = 0;
  #isOver = false;

  /**
   * The payloads to write in place of a segment. All payloads replace the last segment of the profile; the other segments get
   * none. A profile is dropped if it lacks a segment, repeats one, or is too large.
   */
  take(payload: Uint8Array): readonly Uint8Array[] {
    const number = payload[HEAD_BYTES - 2] ?? 0;
    const count = payload[HEAD_BYTES - 1] ?? 0;
    if (this.#isOver) return [];
    if (this.#parts.length === 0) {
      this.#parts = Array.from({ length: count });
      this.#missing = count;
    }
    this.#sizeBytes += payload.byteLength - HEAD_BYTES;
    const isNew = number >= 1 && number <= count && this.#parts[number - 1] === undefined;
    if (count !== this.#parts.length || !isNew || this.#sizeBytes > MAX_PROFILE_BYTES) return this.#end();
    this.#parts[number - 1] = payload.subarray(HEAD_BYTES);
    this.#missing--;
    if (this.#missing > 0) return [];
    const parts = this.#parts.filter((part) => part !== undefined);
    this.#end();
    return profilePayloads(concatBytes(parts));
  }

  #end(): readonly Uint8Array[] {
    this.#isOver = true;
    this.#parts = [];
    return [];
  }
}

/** The payloads of the segments that hold a rebuilt profile. Empty if the bytes are no readable profile. */
export function profilePayloads(bytes: Uint8Array): readonly Uint8Array[] {
  const profile = rebuildProfile(bytes) ?? new Uint8Array(0);
  const count = Math.ceil(profile.byteLength / MAX_PART_BYTES);
  return Array.from({ length: count }, (_, index) => {
    const part = profile.subarray(index * MAX_PART_BYTES, (index + 1) * MAX_PART_BYTES);
    return concatBytes([textBytes(NAME), Uint8Array.of(index + 1, count), part]);
  });
}
