import { concatBytes } from "../bytes.ts";
import { profileSizeOf } from "../icc.ts";

/** "ICC_PROFILE", a zero, the segment's number from 1 on, and how many there are (ICC.1:2022, B.4). */
const HEAD_BYTES = 14;

/** Lets a colour profile through, segment by segment, and nothing that is none or goes past its end. */
export class ProfileSegments {
  private next = 1;
  private count = 0;
  private bytesLeft = 0;

  /** What is written in place of a segment's payload. */
  keep(payload: Uint8Array): Uint8Array | undefined {
    const number = payload[HEAD_BYTES - 2];
    const count = payload[HEAD_BYTES - 1];
    if (count === undefined || number !== this.next || (number > 1 && count !== this.count)) return undefined;
    const data = payload.subarray(HEAD_BYTES);
    if (number === 1) {
      const sizeBytes = profileSizeOf(data);
      if (sizeBytes === undefined) return undefined;
      this.bytesLeft = sizeBytes;
      this.count = count;
    }
    const kept = data.subarray(0, this.bytesLeft);
    if (kept.byteLength === 0) return undefined;
    this.next++;
    this.bytesLeft -= kept.byteLength;
    return concatBytes([payload.subarray(0, HEAD_BYTES), kept]);
  }
}
