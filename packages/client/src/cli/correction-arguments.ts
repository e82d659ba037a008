import type { ParseArgsConfig } from "node:util";
import type { DetectionsFilter } from "../client.ts";
import { REDACTION_METHODS, type RedactionCategory, type Revision, type Sensitivity } from "../types.ts";
import { CONNECTION_OPTIONS, connectionOf, parseWith, type Connection, type Order } from "./arguments.ts";
import { AUDIO_MODES, muteRangeOf, regionOf } from "./masking-arguments.ts";
import {
  DEFAULT_TIMEOUT_SECONDS,
  MEDIA_ID,
  SENSITIVITIES,
  UsageError,
  categoriesOf,
  given,
  mediaIdFrom,
  oneOf,
  timeoutOf,
} from "./option-values.ts";

/** The words for a detection's state, as in the lines of `veil detect`. */
const LISTED = ["redacted", "open"] as const;

/** What to detect: a file that is only analyzed, or a media item that the service already has. */
export interface DetectOrder extends Connection, Pick<Order, "timeoutMs"> {
  readonly sensitivity: Sensitivity | undefined;
  readonly filter: DetectionsFilter;
  readonly subject:
    | { readonly mediaId: string }
    | { readonly path: string; readonly categories: readonly RedactionCategory[] };
}

/** The revision to create, and where to write its file. */
export interface ReviseOrder extends Connection, Pick<Order, "isForced" | "timeoutMs"> {
  readonly mediaId: string;
  /** Whether to start from what the file's current version hides. */
  readonly isFromCurrent: boolean;
  readonly revision: Revision;
  /** A file with more regions, such as those that move. */
  readonly regionsPath: string | undefined;
  readonly output: string;
}

/** The media item whose redacted file to write, and where. If `output` is undefined, the file gets the service's name for it. */
export interface DownloadOrder extends Connection, Pick<Order, "isForced" | "timeoutMs" | "output"> {
  readonly mediaId: string;
}

export const DOWNLOAD_OPTIONS = {
  output: { type: "string", short: "o" },
  force: { type: "boolean", short: "f", default: false },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_SECONDS) },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

export const DETECT_OPTIONS = {
  categories: { type: "string", short: "c", multiple: true, default: [] },
  only: { type: "string" },
  sensitivity: { type: "string" },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_SECONDS) },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

export const REVISE_OPTIONS = {
  "from-current": { type: "boolean", default: false },
  redact: { type: "string", multiple: true, default: [] },
  except: { type: "string", multiple: true, default: [] },
  region: { type: "string", multiple: true, default: [] },
  regions: { type: "string" },
  audio: { type: "string" },
  "mute-range": { type: "string", multiple: true, default: [] },
  "burn-in-reasons": { type: "boolean" },
  method: { type: "string", short: "m" },
  output: { type: "string", short: "o" },
  force: { type: "boolean", short: "f", default: false },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_SECONDS) },
  ...CONNECTION_OPTIONS,
} as const satisfies ParseArgsConfig["options"];

/** Parses the arguments of `veil detect`; undefined if they ask for help. @throws UsageError */
export function parseDetect(args: readonly string[], env: NodeJS.ProcessEnv): DetectOrder | undefined {
  const { values, positionals } = parseWith("detect", DETECT_OPTIONS, args);
  if (values.help) return undefined;
  const only = onlyOne("detect", positionals, "one file, or the id of a media item");
  const sensitivity =
    values.sensitivity === undefined ? undefined : oneOf("--sensitivity", values.sensitivity, SENSITIVITIES);
  const isMedia = MEDIA_ID.test(only);
  if (isMedia && sensitivity !== undefined)
    throw new UsageError("--sensitivity is for files; this media item has been analyzed already.");
  const categories = isMedia && values.categories.length === 0 ? [] : categoriesOf(values.categories);
  return {
    ...connectionOf(values, env),
    timeoutMs: timeoutOf(values),
    sensitivity,
    filter: {
      ...(isMedia && { categories }),
      ...(values.only !== undefined && {
        redacted: oneOf("--only", values.only, LISTED) === "redacted",
      }),
    },
    subject: isMedia ? { mediaId: only } : { path: only, categories },
  };
}

/** Parses the arguments of `veil revise`; undefined if they ask for help. @throws UsageError */
export function parseRevise(args: readonly string[], env: NodeJS.ProcessEnv): ReviseOrder | undefined {
  const { values, positionals } = parseWith("revise", REVISE_OPTIONS, args);
  if (values.help) return undefined;
  const mediaId = mediaIdFrom(onlyOne("revise", positionals, "the id of one media item"));
  const output = given(values.output);
  if (output === undefined) throw new UsageError("--output is missing; name the file to write.");
  return {
    ...connectionOf(values, env),
    timeoutMs: timeoutOf(values),
    mediaId,
    output,
    isForced: values.force,
    isFromCurrent: values["from-current"],
    regionsPath: given(values.regions),
    revision: {
      ...redactOf(values.redact),
      except: idsOf(values.except),
      regions: values.region.map(regionOf),
      ...(values.method !== undefined && {
        redaction_method: oneOf("--method", values.method, REDACTION_METHODS),
      }),
      ...(values.audio !== undefined && { audio: oneOf("--audio", values.audio, AUDIO_MODES) }),
      ...(values["mute-range"].length > 0 && { mute_ranges: values["mute-range"].map(muteRangeOf) }),
      ...(values["burn-in-reasons"] === true && { burn_in_reasons: true }),
    },
  };
}

/** Parses the arguments of `veil download`; undefined if they ask for help. @throws UsageError */
export function parseDownload(args: readonly string[], env: NodeJS.ProcessEnv): DownloadOrder | undefined {
  const { values, positionals } = parseWith("download", DOWNLOAD_OPTIONS, args);
  if (values.help) return undefined;
  return {
    ...connectionOf(values, env),
    mediaId: mediaIdFrom(onlyOne("download", positionals, "the id of one media item")),
    output: given(values.output),
    isForced: values.force,
    timeoutMs: timeoutOf(values),
  };
}

function onlyOne(command: string, positionals: readonly string[], expected: string): string {
  const [only] = positionals;
  if (only === undefined || positionals.length > 1)
    throw new UsageError(`veil ${command} is given ${positionals.length} things; expected ${expected}.`);
  return only;
}

function idsOf(texts: readonly string[]): string[] {
  return texts.flatMap((text) => text.split(",")).flatMap((id) => given(id.trim()) ?? []);
}

function redactOf(texts: readonly string[]): Pick<Revision, "redact"> {
  const ids = idsOf(texts);
  if (ids.length === 0) return {};
  const [word] = ids;
  if (ids.length === 1 && (word === "all" || word === "none")) return { redact: word };
  return { redact: ids };
}
