import { openPicture, WRITERS } from "../../../src/pixels/conversion/open-picture.ts";
import { concatBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";
import { CONVERSIONS, type ConvertedFormat } from "../../../src/ground/vocabulary/media-values.ts";

/** Converts a file as the image Worker does before detection. */
export async function convert(format: ConvertedFormat, bytes: Uint8Array): Promise<Uint8Array> {
  const picture = await openPicture(format, {
    read: async (start, end) => {
      // R2 has the same rule.
      if (!(start >= 0 && start < end && start < bytes.length)) throw new RangeError(`${start} to ${end}`);
      return await Promise.resolve(bytes.slice(start, end));
    },
    sizeBytes: bytes.length,
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of WRITERS[picture.samples === "rgba" ? "png" : CONVERSIONS[format]](picture))
    parts.push(chunk.slice());
  return concatBytes(parts);
}
