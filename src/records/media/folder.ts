/** The longest path of a folder. */
export const MAX_FOLDER_CHARACTERS = 500;

/** Control characters, line separators, and characters that make a name look like another one. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u;

/** Why a folder's name is invalid, as a sentence for the client; undefined if it is valid. */
export function folderFault(folder: string): string | undefined {
  if (folder.length > MAX_FOLDER_CHARACTERS)
    return `\`folder\` has ${folder.length} characters; the limit is ${MAX_FOLDER_CHARACTERS}.`;
  const parts = folder.split("/");
  const isPlain = parts.every((part) => part.trim() !== "" && part !== "." && part !== "..");
  if (isPlain && !UNSHOWN.test(folder)) return undefined;
  const fault = isPlain
    ? "contains control characters, or characters that change the direction of writing"
    : "has a part that is empty, `.` or `..`";
  return `\`folder\` ${fault}; expected names with \`/\` between them, such as \`2026/photos\`.`;
}
