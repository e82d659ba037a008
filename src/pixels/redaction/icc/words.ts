import { concatBytes, textBytes } from "../bytes/bytes.ts";
import { typeHead, uint16Bytes, uint32Bytes } from "./numbers.ts";

const DESCRIPTION = "Color profile";
const COPYRIGHT = "Not stated";
/** The bytes after a description's letters: empty Unicode and ScriptCode fields (ICC.1:2001-04, 6.5.17). */
const OTHER_SCRIPTS_BYTES = 4 + 4 + 2 + 1 + 67;
const UNICODE_HEAD_BYTES = 28;

/** The description and copyright that every profile must have (ICC.1:2022, 8.2), in the types of its version. */
export function wordTags(majorVersion: 2 | 4): ReadonlyMap<string, Uint8Array> {
  const isOld = majorVersion === 2;
  return new Map([
    ["desc", isOld ? descriptionBytes(DESCRIPTION) : unicodeBytes(DESCRIPTION)],
    ["cprt", isOld ? concatBytes([typeHead("text"), textBytes(`${COPYRIGHT}\0`)]) : unicodeBytes(COPYRIGHT)],
  ]);
}

/** textDescriptionType. */
function descriptionBytes(text: string): Uint8Array {
  const letters = textBytes(`${text}\0`);
  const count = uint32Bytes([letters.byteLength]);
  return concatBytes([typeHead("desc"), count, letters, new Uint8Array(OTHER_SCRIPTS_BYTES)]);
}

/** multiLocalizedUnicodeType (ICC.1:2022, 10.15) with one record. */
function unicodeBytes(text: string): Uint8Array {
  const letters = uint16Bytes(textBytes(text));
  return concatBytes([
    typeHead("mluc"),
    uint32Bytes([1, 12]),
    textBytes("enUS"),
    uint32Bytes([letters.byteLength, UNICODE_HEAD_BYTES]),
    letters,
  ]);
}
