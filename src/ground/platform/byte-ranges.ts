/** A contiguous range of bytes in a file. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** The most ranges per request. Players request one, PDF readers and download managers a few. */
const MAX_RANGES = 16;

/**
 * The ranges of a `Range` header (RFC 9110 §14.1.2), in its order. The list is empty if none of them is within the file.
 * Undefined means to send the whole file: the header is absent, malformed or of another unit, or it has too many or overlapping
 * ranges. A server may ignore the header (§14.2), so no response is larger than the file.
 */
export function requestedRanges(
  header: string | undefined,
  sizeBytes: number,
): readonly ByteRange[] | undefined {
  const set = /^bytes=(.*)$/i.exec(header ?? "")?.[1] ?? "";
  // Lists may have empty elements (§5.6.1.2).
  const specs = set.split(",").flatMap((spec) => (spec.trim() === "" ? [] : [spec.trim()]));
  if (specs.length === 0 || specs.length > MAX_RANGES) return undefined;
  const ranges: ByteRange[] = [];
  for (const spec of specs) {
    const range = rangeOf(spec, sizeBytes);
    if (range === undefined) return undefined;
    if (range.length > 0) ranges.push(range);
  }
  return overlap(ranges) ? undefined : ranges;
}

/** Parses one range. Its length is 0 if it is outside the file; undefined if it is malformed. */
function rangeOf(spec: string, sizeBytes: number): ByteRange | undefined {
  const [, first = "", last = ""] = /^(\d*)-(\d*)$/.exec(spec) ?? [];
  if (first === "" && last === "") return undefined;
  if (first === "") {
    const length = Math.min(Number(last), sizeBytes);
    return { offset: sizeBytes - length, length };
  }
  const offset = Number(first);
  const end = last === "" ? sizeBytes : Math.min(Number(last) + 1, sizeBytes);
  if (last !== "" && Number(last) < offset) return undefined;
  return { offset, length: Math.max(0, end - offset) };
}

function overlap(ranges: readonly ByteRange[]): boolean {
  const sorted = [...ranges].sort((a, b) => a.offset - b.offset);
  return sorted.some((range, index) => {
    const before = sorted[index - 1];
    return before !== undefined && range.offset < before.offset + before.length;
  });
}
