import { openPicture } from "../../../src/conversion/open-picture.ts";
import { writePng } from "../../../src/conversion/png-writer.ts";
import { concatBytes } from "../../../src/redaction/bytes/bytes.ts";
import type { ConvertedFormat } from "../../../src/vocabulary/media-values.ts";

/** What the image Worker makes of a file before anything looks at it. */
export async function convert(format: ConvertedFormat, bytes: Uint8Array): Promise<Uint8Array> {
  const picture = await openPicture(format, {
    read: async (start, end) => await Promise.resolve(bytes.slice(start, end)),
    sizeBytes: bytes.length,
  });
  const parts: Uint8Array[] = [];
  for await (const chunk of writePng(picture)) parts.push(chunk.slice());
  return concatBytes(parts);
}
