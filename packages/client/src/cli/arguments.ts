import { parseArgs, type ParseArgsConfig } from "node:util";
import {
  REDACTION_CATEGORIES,
  REDACTION_METHODS,
  type RedactionCategory,
  type RedactionMethod,
  type Sensitivity,
} from "../types.ts";

export const SENSITIVITIES = ["low", "normal", "high"] as const satisfies readonly Sensitivity[];

const DEFAULT_CONCURRENCY = 4;
const MOST_CONCURRENCY = 32;
export const DEFAULT_TIMEOUT_SECONDS = 3600;
const LONGEST_TIMEOUT_SECONDS = 7 * 24 * 3600;

/** The command is wrong: nothing has been sent. */
export class UsageError extends Error {}

/** How a command reaches the service, and how it answers. */
export interface Connection {
  readonly isJson: boolean;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly veilDirectory: string | undefined;
  readonly allowHttp: boolean;
}

/** What `veil redact` is to do. */
export interface Order extends Connection {
  /** Files, folders, globs, and https URLs. */
  readonly paths: readonly string[];
  readonly categories: readonly RedactionCategory[];
  readonly method: RedactionMethod;
  readonly sensitivity: Sensitivity | undefined;
  /** Nothing is written: the files are only looked at. */
  readonly isDetectOnly: boolean;
  readonly output: string | undefined;
  readonly isForced: boolean;
  /** Files whose output exists are not uploaded. */
  readonly isSkippingExisting: boolean;
  readonly isDeleting: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly isQuiet: boolean;
  readonly folder: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** Options that every command takes. */
export const CONNECTION_OPTIONS = {
  json: { type: "boolean", default: false },
  "base-url": { type: "string" },
  "api-key": { type: "string" },
  "allow-http": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

export const REDACT_OPTIONS = {
  categories: { type: "string", short: "c", multiple: true, default: [] },
  method: { type: "string", short: "m", default: "blur" },
  sensitivity: { type: "string" },
  "detect-only": { type: "boolean", default: false },
  output: { type: "string", short: "o" },
  force: { type: "boolean", short: "f", default: false },
  "skip-existing": { type: "boolean", default: false },
  delete: { type: "boolean", default: false },
  concurrency: { type: "string", short: "j", default: String(DEFAULT_CONCURRENCY) },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_SECONDS) },
  quiet: { type: "boolean", short: "q", default: false },
  folder: { type: "string" },
  "external-id": { type: "string" },
  metadata: { type: "string", multiple: true, default: [] },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

/** What the arguments behind `veil redact` ask for, undefined for help. @throws UsageError */
export function parseOrder(args: readonly string[], env: NodeJS.ProcessEnv): Order | undefined {
  const { values, positionals: paths } = parseWith(REDACT_OPTIONS, args);
  if (values.help) return undefined;
  if (paths.length === 0) throw new UsageError("No file is given; name files, folders, globs or https URLs.");
  if (values["detect-only"] && (values.delete || values.output !== undefined))
    throw new UsageError("--detect-only writes no file; leave out --delete and --output.");
  if (values["skip-existing"] && (values.force || values["detect-only"]))
    throw new UsageError("--skip-existing looks for redacted files; leave out --force and --detect-only.");
  return {
    paths,
    categories: categoriesOf(values.categories),
    method: oneOf("--method", values.method, REDACTION_METHODS),
    sensitivity:
      values.sensitivity === undefined
        ? undefined
        : oneOf("--sensitivity", values.sensitivity, SENSITIVITIES),
    isDetectOnly: values["detect-only"],
    output: given(values.output),
    isForced: values.force,
    isSkippingExisting: values["skip-existing"],
    isDeleting: values.delete,
    concurrency: wholeNumber("--concurrency", values.concurrency, MOST_CONCURRENCY),
    timeoutMs: timeoutOf(values),
    isQuiet: values.quiet,
    folder: given(values.folder),
    metadata: metadataOf(values.metadata, given(values["external-id"])),
    ...connectionOf(values, env),
  };
}

/** How the service is reached: by the options, else by the environment. */
export function connectionOf(
  values: {
    readonly json: boolean;
    readonly "base-url"?: string | undefined;
    readonly "api-key"?: string | undefined;
    readonly "allow-http": boolean;
  },
  env: NodeJS.ProcessEnv,
): Connection {
  return {
    isJson: values.json,
    baseUrl: given(values["base-url"]) ?? given(env["VEIL_BASE_URL"]),
    apiKey: given(values["api-key"]) ?? given(env["VEIL_API_KEY"]),
    veilDirectory: given(env["VEIL_DIR"]),
    allowHttp: values["allow-http"],
  };
}

/** Parses arguments as a command's options have them. @throws UsageError */
export function parseWith<Options extends NonNullable<ParseArgsConfig["options"]>>(
  options: Options,
  args: readonly string[],
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError(
      `${error instanceof Error ? error.message : String(error)}\nveil --help has the options.`,
    );
  }
}

/** Texts that are kept with the media, as KEY=VALUE each. @throws UsageError */
function metadataOf(
  texts: readonly string[],
  externalId: string | undefined,
): Record<string, string> | undefined {
  const entries = texts.map((text) => {
    const at = text.indexOf("=");
    if (at < 1) throw new UsageError(`--metadata is ${JSON.stringify(text)}; expected KEY=VALUE.`);
    return [text.slice(0, at), text.slice(at + 1)] as const;
  });
  const all = [...entries, ...(externalId === undefined ? [] : [["external_id", externalId] as const])];
  return all.length === 0 ? undefined : Object.fromEntries(all);
}

export function categoriesOf(texts: readonly string[]): RedactionCategory[] {
  const names = texts.flatMap((text) => text.split(",")).flatMap((name) => given(name.trim()) ?? []);
  if (names.length === 0)
    throw new UsageError(
      `--categories is missing; expected all, or some of ${REDACTION_CATEGORIES.join(", ")}.`,
    );
  if (names.includes("all")) return [...REDACTION_CATEGORIES];
  return names.map((name) => oneOf("--categories", name, REDACTION_CATEGORIES));
}

export function oneOf<T extends string>(option: string, value: string, accepted: readonly T[]): T {
  const found = accepted.find((one) => one === value);
  if (found === undefined)
    throw new UsageError(`${option} is ${JSON.stringify(value)}; expected one of ${accepted.join(", ")}.`);
  return found;
}

export function wholeNumber(option: string, text: string, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value < 1 || value > most)
    throw new UsageError(`${option} is ${JSON.stringify(text)}; expected a whole number from 1 to ${most}.`);
  return value;
}

/** How long a file may take after its upload, in milliseconds. @throws UsageError */
export function timeoutOf({ timeout }: { readonly timeout: string }): number {
  return wholeNumber("--timeout", timeout, LONGEST_TIMEOUT_SECONDS) * 1000;
}

/** How the service writes ids of media. */
export const MEDIA_ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

/** An argument that must be the id of a media item. @throws UsageError */
export function mediaIdFrom(text: string): string {
  if (!MEDIA_ID.test(text))
    throw new UsageError(`${JSON.stringify(text)} is not a media ID; expected one that veil list prints.`);
  return text;
}

export function given(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
