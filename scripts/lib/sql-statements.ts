export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** An SQL statement and the values of its parameters. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

/** What a statement returns: its rows, and how many rows it changed. */
export interface Answer {
  readonly rows: Row[];
  readonly changes: number;
}

/** A text in quotes, or a parameter (SQLite, "Parameters"). */
const TEXT_OR_PARAMETER = /'(?:[^']|'')*'|\?(\d*)/g;

/**
 * A statement with each parameter replaced by its value as an SQL literal (SQLite: text in single quotes, quotes doubled).
 *
 * @throws Error if a value is missing, unused, or cannot be written
 */
export function withLiterals({ text, values }: Statement): string {
  let highest = 0;
  const statement = text.replaceAll(TEXT_OR_PARAMETER, (found, digits: string | undefined) => {
    if (digits === undefined) return found;
    const number = digits === "" ? highest + 1 : Number(digits);
    highest = Math.max(highest, number);
    const value = values[number - 1];
    if (value === undefined) throw new Error(`The statement has no value for its parameter ${number}.`);
    return literal(value);
  });
  if (highest !== values.length) throw new Error("The statement has values that it has no use for.");
  return statement;
}

function literal(value: SqlValue): string {
  if (value === null) return "NULL";
  if (typeof value === "number") {
    if (!Number.isFinite(value)) throw new Error(`${value} cannot be stored.`);
    return String(value);
  }
  if (value.includes("\0")) throw new Error("A text with a zero character cannot be stored.");
  return `'${value.replaceAll("'", "''")}'`;
}
