/** This mark makes spreadsheets read a file as UTF-8. */
export const BYTE_ORDER_MARK = "\u{FEFF}";
/** Characters that a spreadsheet may treat as the beginning of a formula (OWASP, CSV injection), also after spaces. */
const FORMULA_START = /^\s*[=+\-@|%＝＋－＠]/u;

/** Formats a line of CSV. Every cell is quoted, and none is executed by a spreadsheet. */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map(csvCell).join(",")}\r\n`;
}

function csvCell(text: string): string {
  const harmless = FORMULA_START.test(text) ? `'${text}` : text;
  return `"${harmless.replaceAll('"', '""')}"`;
}
