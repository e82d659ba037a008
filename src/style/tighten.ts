/** A script as it is sent: what is said to its authors, indentation and empty lines take two fifths of it. */
export function tightenScript(script: string): string {
  return script
    .replaceAll(/^[ \t]*(?:\/\*(?:(?!\*\/)[^])*\*\/|\/\/.*)\n/gm, "")
    .replaceAll(/^[ \t]+/gm, "")
    .replaceAll(/\n{2,}/g, "\n");
}

/** A style as it is sent, without comments and without the spaces that say nothing. */
export function tightenStyle(style: string): string {
  return style
    .replaceAll(/\/\*[^]*?\*\//g, "")
    .replaceAll(/\s*([{};,])\s*/g, "$1")
    .replaceAll(/:\s+/g, ":");
}
