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
export const LONGEST_TIMEOUT_SECONDS = 7 * 24 * 3600;

/** The command is wrong: nothing has been sent. */
export class UsageError extends Error {}

/** What the command asks for. */
export interface Order {
  readonly paths: readonly string[];
  readonly categories: readonly RedactionCategory[];
  readonly method: RedactionMethod;
  readonly sensitivity: Sensitivity | undefined;
  /** Nothing is written: the files are only looked at. */
  readonly isDetectOnly: boolean;
  readonly output: string | undefined;
  readonly isForced: boolean;
  readonly isDeleting: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly isJson: boolean;
  readonly isQuiet: boolean;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly veilDirectory: string | undefined;
  readonly allowHttp: boolean;
}

const OPTIONS = {
  categories: { type: "string", short: "c", multiple: true, default: [] },
  method: { type: "string", short: "m", default: "blur" },
  sensitivity: { type: "string" },
  "detect-only": { type: "boolean", default: false },
  output: { type: "string", short: "o" },
  force: { type: "boolean", short: "f", default: false },
  delete: { type: "boolean", default: false },
  concurrency: { type: "string", short: "j", default: String(DEFAULT_CONCURRENCY) },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_SECONDS) },
  json: { type: "boolean", default: false },
  quiet: { type: "boolean", short: "q", default: false },
  "base-url": { type: "string" },
  "api-key": { type: "string" },
  "allow-http": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

/** What the arguments ask for, undefined for help. @throws UsageError */
export function parseOrder(args: readonly string[], env: NodeJS.ProcessEnv): Order | undefined {
  const { values, positionals } = parseWith(OPTIONS, args);
  const [command, ...paths] = positionals;
  if (values.help || (command === undefined && args.length === 0)) return undefined;
  if (command !== "redact")
    throw new UsageError(
      `The command is ${JSON.stringify(command ?? "")}; expected one of redact, detect, revise.`,
    );
  if (paths.length === 0) throw new UsageError("No file is given; name files, folders or globs.");
  if (values["detect-only"] && (values.delete || values.output !== undefined))
    throw new UsageError("--detect-only writes no file; leave out --delete and --output.");
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
    isDeleting: values.delete,
    concurrency: wholeNumber("--concurrency", values.concurrency, MOST_CONCURRENCY),
    timeoutMs: wholeNumber("--timeout", values.timeout, LONGEST_TIMEOUT_SECONDS) * 1000,
    isJson: values.json,
    isQuiet: values.quiet,
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

export function given(text: string | undefined): string | undefined {
  return text === undefined || text === "" ? undefined : text;
}
