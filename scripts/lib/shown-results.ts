import { printable } from "../../packages/client/src/cli/printable.ts";
import { isoDateTime } from "../../src/ground/platform/clock.ts";

/** Names of times, which the database stores in milliseconds since 1970. */
const MOMENT = /(?:At|Since)$/;
const BETWEEN_COLUMNS = "  ";

/** A command's result for programs, with times in ISO 8601. */
export function withIsoMoments(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withIsoMoments);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]: [string, unknown]) => [
      name,
      MOMENT.test(name) && typeof one === "number" ? isoDateTime(one) : withIsoMoments(one),
    ]),
  );
}

/** A command's result for people: one line per field, and lists of records as tables. */
export function textOf(result: unknown): string {
  const value = withIsoMoments(result);
  if (isRecords(value)) return tableOf(value);
  if (typeof value !== "object" || value === null) return cellOf(value);
  return Object.entries(value)
    .map(([name, one]: [string, unknown]) => {
      if (isRecords(one) && one.length > 0) return `${name}:\n${tableOf(one)}`;
      return typeof one === "object" && one !== null && !Array.isArray(one)
        ? `${name}:\n${textOf(one).replaceAll(/^/gm, BETWEEN_COLUMNS)}`
        : `${name}: ${cellOf(one)}`;
    })
    .join("\n");
}

type Fields = Readonly<Record<string, unknown>>;

function isRecords(value: unknown): value is readonly Fields[] {
  return Array.isArray(value) && value.every((one) => typeof one === "object" && one !== null);
}

function tableOf(records: readonly Fields[]): string {
  if (records.length === 0) return "none";
  const names = [...new Set(records.flatMap((record) => Object.keys(record)))];
  const rows = [names, ...records.map((record) => names.map((name) => cellOf(record[name])))];
  const widths = names.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join(BETWEEN_COLUMNS)
        .trimEnd(),
    )
    .join("\n");
}

function cellOf(value: unknown): string {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.length === 0 ? "none" : value.map(cellOf).join(", ");
  return printable(typeof value === "string" ? value : JSON.stringify(value));
}
