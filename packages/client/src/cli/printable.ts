/** Removes the characters of a text that a terminal would treat as commands or as changes of direction. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
}
