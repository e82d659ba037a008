import type { ParseArgsConfig } from "node:util";
import { MEDIA_STATUSES, type MediaStatus } from "../types.ts";
import {
  CONNECTION_OPTIONS,
  UsageError,
  connectionOf,
  given,
  mediaIdFrom,
  oneOf,
  parseWith,
  wholeNumber,
  type Connection,
} from "./arguments.ts";

const DEFAULT_LIMIT = 20;
const MOST_LISTED = 100_000;

/** Which media are listed, newest first. */
export interface ListOrder extends Connection {
  readonly status: MediaStatus | undefined;
  readonly externalId: string | undefined;
  readonly folder: string | undefined;
  readonly isCurrent: boolean;
  readonly limit: number;
}

/** Which media are deleted. */
export interface DeleteOrder extends Connection {
  readonly mediaIds: readonly string[];
}

export const LIST_OPTIONS = {
  status: { type: "string", short: "s" },
  "external-id": { type: "string" },
  folder: { type: "string" },
  current: { type: "boolean", default: false },
  limit: { type: "string", short: "n", default: String(DEFAULT_LIMIT) },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

/** What the arguments behind `veil list` ask for, undefined for help. @throws UsageError */
export function parseList(args: readonly string[], env: NodeJS.ProcessEnv): ListOrder | undefined {
  const { values, positionals } = parseWith(LIST_OPTIONS, args);
  if (values.help) return undefined;
  refuseMore("list", positionals);
  return {
    ...connectionOf(values, env),
    status: values.status === undefined ? undefined : oneOf("--status", values.status, MEDIA_STATUSES),
    externalId: given(values["external-id"]),
    folder: given(values.folder),
    isCurrent: values.current,
    limit: wholeNumber("--limit", values.limit, MOST_LISTED),
  };
}

/** What the arguments behind `veil usage` ask for, undefined for help. @throws UsageError */
export function parseUsage(args: readonly string[], env: NodeJS.ProcessEnv): Connection | undefined {
  const { values, positionals } = parseWith(CONNECTION_OPTIONS, args);
  if (values.help) return undefined;
  refuseMore("usage", positionals);
  return connectionOf(values, env);
}

/** What the arguments behind `veil delete` ask for, undefined for help. @throws UsageError */
export function parseDelete(args: readonly string[], env: NodeJS.ProcessEnv): DeleteOrder | undefined {
  const { values, positionals } = parseWith(CONNECTION_OPTIONS, args);
  if (values.help) return undefined;
  if (positionals.length === 0) throw new UsageError("No media ID is given; veil list prints them.");
  return { ...connectionOf(values, env), mediaIds: positionals.map(mediaIdFrom) };
}

function refuseMore(command: string, positionals: readonly string[]): void {
  const [first] = positionals;
  if (first !== undefined)
    throw new UsageError(`veil ${command} takes only options; ${JSON.stringify(first)} is not one.`);
}
