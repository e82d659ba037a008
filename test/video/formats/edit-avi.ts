import { textBytes } from "../../../src/pixels/redaction/bytes/bytes.ts";

/** Renames the indexes of streams, so that only the old index is left. */
export function withoutOpenDml(file: Uint8Array): Uint8Array {
  const edited = file.slice();
  const name = textBytes("indx");
  for (let at = 0; at + name.length <= edited.length; at++)
    if (name.every((byte, index) => edited[at + index] === byte)) edited.set(textBytes("JUNK"), at);
  return edited;
}
