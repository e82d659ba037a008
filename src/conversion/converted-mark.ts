import { hasText } from "../redaction/bytes/bytes.ts";

/** How files begin that are converted already. */
const MARKS = { jpeg: "\xff\xd8\xff", png: "\x89PNG\r\n\x1a\n" } as const;
/** So many first bytes of a file tell whether it is converted. */
export const MARK_BYTES = 8;

/** Whether a file's first bytes are those of the format that it is converted to. */
export function isConverted(beginning: Uint8Array, target: keyof typeof MARKS): boolean {
  return hasText(beginning, 0, MARKS[target]);
}
