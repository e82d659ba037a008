/** A text without what a terminal would take for a command, or for a change of direction. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, "\u{fffd}");
}
