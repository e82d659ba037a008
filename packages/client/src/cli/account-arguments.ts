import type { ParseArgsConfig } from "node:util";
import { MEDIA_STATUSES, type MediaStatus, type MediaType } from "../types.ts";
import { CONNECTION_OPTIONS, connectionOf, parseWith, type Connection } from "./arguments.ts";
import { UsageError, given, mediaIdFrom, oneOf, wholeNumber } from "./option-values.ts";

const DEFAULT_LIMIT = 20;
const MOST_LISTED = 100_000;
const MEDIA_TYPES = ["image", "video"] as const satisfies readonly MediaType[];

/** Which media to list, newest first. */
export interface ListOrder extends Connection {
  readonly status: MediaStatus | undefined;
  readonly mediaType: MediaType | undefined;
  readonly externalId: string | undefined;
  readonly folder: string | undefined;
  readonly isCurrent: boolean;
  readonly limit: number;
}

/** The media items that a command is for. */
export interface MediaOrder extends Connection {
  readonly mediaIds: readonly string[];
}

/** Which deletions to list, latest first: all, or those of some media items. */
export interface DeletionsOrder extends MediaOrder {
  readonly limit: number;
}

export const DELETIONS_OPTIONS = {
  limit: { type: "string", short: "n", default: String(DEFAULT_LIMIT) },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

export const LIST_OPTIONS = {
  status: { type: "string", short: "s" },
  type: { type: "string" },
  "external-id": { type: "string" },
  folder: { type: "string" },
  current: { type: "boolean", default: false },
  limit: { type: "string", short: "n", default: String(DEFAULT_LIMIT) },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

/** Parses the arguments of `veil list`; undefined if they ask for help. @throws UsageError */
export function parseList(args: readonly string[], env: NodeJS.ProcessEnv): ListOrder | undefined {
  const { values, positionals } = parseWith("list", LIST_OPTIONS, args);
  if (values.help) return undefined;
  refuseMore("list", positionals);
  return {
    ...connectionOf(values, env),
    status: values.status === undefined ? undefined : oneOf("--status", values.status, MEDIA_STATUSES),
    mediaType: values.type === undefined ? undefined : oneOf("--type", values.type, MEDIA_TYPES),
    externalId: given(values["external-id"]),
    folder: given(values.folder),
    isCurrent: values.current,
    limit: wholeNumber("--limit", values.limit, MOST_LISTED),
  };
}

/** Parses the arguments of `veil usage`; undefined if they ask for help. @throws UsageError */
export function parseUsage(args: readonly string[], env: NodeJS.ProcessEnv): Connection | undefined {
  const { values, positionals } = parseWith("usage", CONNECTION_OPTIONS, args);
  if (values.help) return undefined;
  refuseMore("usage", positionals);
  return connectionOf(values, env);
}

/** Parses the arguments of `veil get`, `veil retry` or `veil delete`; undefined if they ask for help. @throws UsageError */
export function parseMediaIds(
  command: "get" | "retry" | "delete",
): (args: readonly string[], env: NodeJS.ProcessEnv) => MediaOrder | undefined {
  return (args, env) => {
    const { values, positionals } = parseWith(command, CONNECTION_OPTIONS, args);
    if (values.help) return undefined;
    if (positionals.length === 0) throw new UsageError("No media ID is given; veil list prints them.");
    return { ...connectionOf(values, env), mediaIds: positionals.map(mediaIdFrom) };
  };
}

/** Parses the arguments of `veil deletions`; undefined if they ask for help. @throws UsageError */
export function parseDeletions(args: readonly string[], env: NodeJS.ProcessEnv): DeletionsOrder | undefined {
  const { values, positionals } = parseWith("deletions", DELETIONS_OPTIONS, args);
  if (values.help) return undefined;
  return {
    ...connectionOf(values, env),
    mediaIds: positionals.map(mediaIdFrom),
    limit: wholeNumber("--limit", values.limit, MOST_LISTED),
  };
}

function refuseMore(command: string, positionals: readonly string[]): void {
  const [first] = positionals;
  if (first !== undefined)
    throw new UsageError(`veil ${command} takes only options; ${JSON.stringify(first)} is not one.`);
}
