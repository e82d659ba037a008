import type { MediaFormat } from "../../ground/vocabulary/media-values.ts";
import { hasText } from "../redaction/bytes/bytes.ts";

/** The first bytes of converted files: JPEG, PNG, and EBML, the container of WebM. */
const MARKS: Readonly<Partial<Record<MediaFormat, string>>> = {
  jpeg: "\xff\xd8\xff",
  png: "\x89PNG\r\n\x1a\n",
  webm: "\x1a\x45\xdf\xa3",
};
/** How many first bytes show whether a file has been converted. */
export const MARK_BYTES = 8;

/** Whether a file's first bytes are those of the format it is converted to. */
export function isConverted(beginning: Uint8Array, target: MediaFormat): boolean {
  const mark = MARKS[target];
  return mark !== undefined && hasText(beginning, 0, mark);
}
