const MAX_FILENAME_BYTES = 255;

/** Control characters, including U+0085, and the line and paragraph separators. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]/u;
/** Characters that make a name look like another one: "photo\u202egpj.exe" looks like "photoexe.jpg". */
const DIRECTIONS = /\p{Bidi_Control}/u;
const UNSEEN = /^[\p{White_Space}\p{Default_Ignorable_Code_Point}]+$/u;

/** Why a file name is invalid, as a sentence for the client; undefined if it is valid. A valid name is stored unchanged. */
export function filenameFault(filename: string | undefined): string | undefined {
  if (filename === undefined || filename === "") {
    return "`file` has no file name; send it as a file, with `filename` in its Content-Disposition.";
  }
  const sizeBytes = new TextEncoder().encode(filename).length;
  if (sizeBytes > MAX_FILENAME_BYTES) {
    return `The file name has ${sizeBytes} bytes; the limit is ${MAX_FILENAME_BYTES}.`;
  }
  const fault = faultOfCharacters(filename);
  return fault && `The file name ${withEscapes(filename)} ${fault}; expected a plain name.`;
}

function faultOfCharacters(filename: string): string | undefined {
  if (/[/\\]|^\.{1,2}$/.test(filename)) return "is a path";
  if (CONTROLS.test(filename)) return "holds control characters";
  if (DIRECTIONS.test(filename)) return "contains characters that change the direction of writing";
  if (UNSEEN.test(filename)) return "has no visible character";
  return undefined;
}

/** A name as JSON, with invisible characters escaped. */
function withEscapes(filename: string): string {
  return JSON.stringify(filename).replaceAll(
    /(?! )[\p{Cc}\p{Zl}\p{Zp}\p{White_Space}\p{Default_Ignorable_Code_Point}\p{Bidi_Control}]/gu,
    (character) => character.split("").map(escapeUnit).join(""),
  );
}

function escapeUnit(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
