import type { MediaFormat } from "../vocabulary/media-values.ts";
import { hasText } from "../redaction/bytes/bytes.ts";

/** How files begin that are converted already: JPEG, PNG, and EBML, which WebM is. */
const MARKS: Readonly<Partial<Record<MediaFormat, string>>> = {
  jpeg: "\xff\xd8\xff",
  png: "\x89PNG\r\n\x1a\n",
  webm: "\x1a\x45\xdf\xa3",
};
/** So many first bytes of a file tell whether it is converted. */
export const MARK_BYTES = 8;

/** Whether a file's first bytes are those of the format that it is converted to. */
export function isConverted(beginning: Uint8Array, target: MediaFormat): boolean {
  const mark = MARKS[target];
  return mark !== undefined && hasText(beginning, 0, mark);
}
