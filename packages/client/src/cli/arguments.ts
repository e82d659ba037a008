import { parseArgs, type ParseArgsConfig } from "node:util";
import type { MaskingOptions } from "../options.ts";
import { REDACTION_METHODS, type RedactionCategory, type RedactionMethod } from "../types.ts";
import { AUDIO_MODES, minConfidenceOf, muteRangeOf, regionOf } from "./masking-arguments.ts";
import {
  DEFAULT_TIMEOUT_SECONDS,
  SENSITIVITIES,
  UsageError,
  categoriesOf,
  didYouMean,
  given,
  oneOf,
  timeoutOf,
  wholeNumber,
} from "./option-values.ts";

const DEFAULT_CONCURRENCY = 4;
const MOST_CONCURRENCY = 32;
/** How a command reaches the service, and its output format. */
export interface Connection {
  readonly isJson: boolean;
  readonly baseUrl: string | undefined;
  readonly apiKey: string | undefined;
  readonly veilDirectory: string | undefined;
  readonly allowHttp: boolean;
}

/** An order for `veil redact`. */
export interface Order extends Connection {
  /** Files, folders, globs, and https URLs. */
  readonly paths: readonly string[];
  readonly categories: readonly RedactionCategory[];
  readonly method: RedactionMethod;
  /** Options of the upload besides its categories and method. */
  readonly masking: Pick<
    MaskingOptions,
    "sensitivity" | "minConfidence" | "regions" | "audio" | "muteRanges" | "verify"
  >;
  /** A JSON file with more regions, such as those that move. */
  readonly regionsPath: string | undefined;
  /** Whether the files are only analyzed and nothing is written. */
  readonly isDetectOnly: boolean;
  readonly output: string | undefined;
  readonly isForced: boolean;
  /** Whether to skip files whose output exists. */
  readonly isSkippingExisting: boolean;
  readonly isDeleting: boolean;
  readonly concurrency: number;
  readonly timeoutMs: number;
  readonly isQuiet: boolean;
  readonly folder: string | undefined;
  readonly metadata: Readonly<Record<string, string>> | undefined;
}

/** Options that every command has. */
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
  "min-confidence": { type: "string", multiple: true, default: [] },
  region: { type: "string", multiple: true, default: [] },
  regions: { type: "string" },
  audio: { type: "string" },
  "mute-range": { type: "string", multiple: true, default: [] },
  "detect-only": { type: "boolean", default: false },
  verify: { type: "boolean", default: false },
  "no-verify": { type: "boolean", default: false },
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

/** Parses the arguments of `veil redact`; undefined if they ask for help. @throws UsageError */
export function parseOrder(args: readonly string[], env: NodeJS.ProcessEnv): Order | undefined {
  const { values, positionals: paths } = parseWith("redact", REDACT_OPTIONS, args);
  if (values.help) return undefined;
  if (paths.length === 0) throw new UsageError("No file is given; name files, folders, globs or https URLs.");
  if (values["detect-only"] && (values.delete || values.output !== undefined))
    throw new UsageError("--detect-only writes no file; leave out --delete and --output.");
  if (values["skip-existing"] && (values.force || values["detect-only"]))
    throw new UsageError("--skip-existing looks for redacted files; leave out --force and --detect-only.");
  if (values.verify && values["no-verify"])
    throw new UsageError("--verify and --no-verify exclude each other; leave out one.");
  const categories = categoriesOf(values.categories);
  return {
    paths,
    categories,
    method: oneOf("--method", values.method, REDACTION_METHODS),
    masking: {
      ...(values.sensitivity !== undefined && {
        sensitivity: oneOf("--sensitivity", values.sensitivity, SENSITIVITIES),
      }),
      ...(values["min-confidence"].length > 0 && {
        minConfidence: minConfidenceOf(values["min-confidence"], categories),
      }),
      ...(values.region.length > 0 && { regions: values.region.map(regionOf) }),
      ...(values.audio !== undefined && { audio: oneOf("--audio", values.audio, AUDIO_MODES) }),
      ...(values["mute-range"].length > 0 && { muteRanges: values["mute-range"].map(muteRangeOf) }),
      ...((values.verify || values["no-verify"]) && { verify: values.verify }),
    },
    regionsPath: given(values.regions),
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

/** How to reach the service, according to the options or else the environment. */
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

/** Parses the arguments of a command with its options. @throws UsageError */
export function parseWith<Options extends NonNullable<ParseArgsConfig["options"]>>(
  command: string,
  options: Options,
  args: readonly string[],
) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const [, unknown] = /^Unknown option '(-[^' ]*)'/.exec(message) ?? [];
    const names = Object.keys(options).map((name) => `--${name}`);
    const sentence =
      unknown === undefined
        ? message
        : `${unknown} is not an option of veil ${command}${didYouMean(unknown, names)}.`;
    throw new UsageError(`${sentence}\nveil ${command} --help lists the options.`);
  }
}

/** Metadata to store with the media, from KEY=VALUE texts. @throws UsageError */
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
