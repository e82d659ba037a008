import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import { u32 } from "../../../src/work/video/containers/boxes.ts";

/** The NAL units of a stream with start codes. */
export function unitsOf(stream: Uint8Array): Uint8Array[] {
  const starts: number[] = [];
  for (let at = 0; at + 3 < stream.length; at++)
    if (stream[at] === 0 && stream[at + 1] === 0 && stream[at + 2] === 1) starts.push(at + 3);
  return starts.map((start, index) => {
    let end = (starts[index + 1] ?? stream.length + 3) - 3;
    while (end > start && stream[end - 1] === 0) end -= 1;
    return stream.subarray(start, end);
  });
}

/** The type of a NAL unit (ITU-T H.264 table 7-1). */
export function typeOf(unit: Uint8Array): number {
  return (unit[0] ?? 0) & 0x1f;
}

/** A packet of an MP4: units with their lengths. */
export function packetOf(...units: Uint8Array[]): Uint8Array {
  return concatBytes(units.flatMap((unit) => [u32(unit.length), unit]));
}
