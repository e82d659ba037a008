import { textBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import { EBML_IDS, readElementHead } from "./ebml.ts";
import { elementsOf } from "./matroska-header.ts";
import type { RangeReader } from "./stored-ranges.ts";

/** The container format of a stored video: `movie` is MP4 or QuickTime, and `matroska` is any Matroska other than WebM. */
export type ContainerKind = "movie" | "webm" | "matroska" | "avi";

const MOST_HEAD_BYTES = 12;
/** An EBML header has about forty bytes. */
const MOST_EBML_BYTES = 1024;

/** Determines the container format from a file's first bytes. @throws StorageReadError */
export async function containerKind(read: RangeReader, sizeBytes: number): Promise<ContainerKind> {
  const beginning = await read(0, Math.min(sizeBytes, MOST_HEAD_BYTES + MOST_EBML_BYTES));
  if (hasText(beginning, 0, "RIFF") && hasText(beginning, 8, "AVI ")) return "avi";
  const head = readElementHead(beginning);
  if (head?.id !== EBML_IDS.ebml) return "movie";
  const content = beginning.subarray(head.headBytes, head.headBytes + (head.sizeBytes ?? 0));
  const docType = elementsOf(content).find(({ id }) => id === EBML_IDS.docType)?.content;
  return docType?.length === 4 && hasText(docType, 0, "webm") ? "webm" : "matroska";
}

function hasText(bytes: Uint8Array, at: number, text: string): boolean {
  return textBytes(text).every((byte, index) => bytes[at + index] === byte);
}
