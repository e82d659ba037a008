import type { ParseArgsConfig } from "node:util";
import { REDACTION_METHODS, type RedactionCategory, type Region, type Revision } from "../types.ts";
import {
  DEFAULT_TIMEOUT_SECONDS,
  LONGEST_TIMEOUT_SECONDS,
  SENSITIVITIES,
  UsageError,
  categoriesOf,
  given,
  oneOf,
  parseWith,
  wholeNumber,
  type Order,
} from "./arguments.ts";

const AUDIO_MODES = ["keep", "mute"] as const;
const MEDIA_ID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

type Connection = Pick<Order, "baseUrl" | "apiKey" | "veilDirectory" | "allowHttp" | "timeoutMs" | "isJson">;

/** What is to be found: in a file that is only looked at, or in a media item that the service has. */
export interface DetectOrder extends Connection, Pick<Order, "sensitivity"> {
  readonly command: "detect";
  readonly subject:
    | { readonly mediaId: string }
    | { readonly path: string; readonly categories: readonly RedactionCategory[] };
}

/** What is to be made anew, and where it is written. */
export interface ReviseOrder extends Connection, Pick<Order, "isForced"> {
  readonly command: "revise";
  readonly mediaId: string;
  readonly revision: Revision;
  /** A file with more regions, such as those that move. */
  readonly regionsPath: string | undefined;
  readonly output: string;
}

const OPTIONS = {
  categories: { type: "string", short: "c", multiple: true, default: [] },
  sensitivity: { type: "string" },
  redact: { type: "string", multiple: true, default: [] },
  except: { type: "string", multiple: true, default: [] },
  region: { type: "string", multiple: true, default: [] },
  regions: { type: "string" },
  audio: { type: "string" },
  method: { type: "string", short: "m" },
  output: { type: "string", short: "o" },
  force: { type: "boolean", short: "f", default: false },
  timeout: { type: "string", default: String(DEFAULT_TIMEOUT_SECONDS) },
  json: { type: "boolean", default: false },
  "base-url": { type: "string" },
  "api-key": { type: "string" },
  "allow-http": { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const satisfies ParseArgsConfig["options"];

const OF_DETECT: ReadonlySet<string> = new Set(["categories", "sensitivity"]);
const OF_REVISE: ReadonlySet<string> = new Set([
  "redact",
  "except",
  "region",
  "regions",
  "audio",
  "method",
  "output",
  "force",
]);

/** What `veil detect` or `veil revise` is to do; undefined for other commands and for help. @throws UsageError */
export function parseCorrection(
  args: readonly string[],
  env: NodeJS.ProcessEnv,
): DetectOrder | ReviseOrder | undefined {
  const [command, ...rest] = args;
  if (command !== "detect" && command !== "revise") return undefined;
  const { values, positionals } = parseWith(OPTIONS, rest);
  if (values.help) return undefined;
  const others = command === "detect" ? OF_REVISE : OF_DETECT;
  for (const [name, value] of Object.entries(values)) {
    if (others.has(name) && value !== false && !(Array.isArray(value) && value.length === 0))
      throw new UsageError(`--${name} is not for veil ${command}; veil --help has the options.`);
  }
  const [subject] = positionals;
  if (subject === undefined || positionals.length > 1)
    throw new UsageError(
      `veil ${command} is given ${positionals.length} things; expected ${SUBJECTS[command]}.`,
    );
  const connection = {
    timeoutMs: wholeNumber("--timeout", values.timeout, LONGEST_TIMEOUT_SECONDS) * 1000,
    isJson: values.json,
    baseUrl: given(values["base-url"]) ?? given(env["VEIL_BASE_URL"]),
    apiKey: given(values["api-key"]) ?? given(env["VEIL_API_KEY"]),
    veilDirectory: given(env["VEIL_DIR"]),
    allowHttp: values["allow-http"],
  };
  if (command === "detect") {
    const sensitivity =
      values.sensitivity === undefined
        ? undefined
        : oneOf("--sensitivity", values.sensitivity, SENSITIVITIES);
    if (!MEDIA_ID.test(subject))
      return {
        ...connection,
        command,
        sensitivity,
        subject: { path: subject, categories: categoriesOf(values.categories) },
      };
    if (sensitivity !== undefined || values.categories.length > 0)
      throw new UsageError(
        "--categories and --sensitivity are for files; the media item was looked at already.",
      );
    return { ...connection, command, sensitivity, subject: { mediaId: subject } };
  }
  if (!MEDIA_ID.test(subject))
    throw new UsageError(
      `${JSON.stringify(subject)} is not a media ID; expected one that veil detect prints.`,
    );
  const output = given(values.output);
  if (output === undefined) throw new UsageError("--output is missing; name the file to write.");
  return {
    ...connection,
    command,
    mediaId: subject,
    output,
    isForced: values.force,
    regionsPath: given(values.regions),
    revision: {
      ...redactOf(values.redact),
      except: idsOf(values.except),
      regions: values.region.map(regionOf),
      ...(values.method !== undefined && {
        redaction_method: oneOf("--method", values.method, REDACTION_METHODS),
      }),
      ...(values.audio !== undefined && { audio: oneOf("--audio", values.audio, AUDIO_MODES) }),
    },
  };
}

const SUBJECTS = {
  detect: "one file, or the id of a media item",
  revise: "the id of one media item",
} as const;

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

/** `x,y,width,height`, with `@category` and `:start-end` in seconds behind it where it has them. */
function regionOf(text: string): Region {
  const [, area = text, start, end] = /^([^:]*):(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const [place = "", category] = area.split("@");
  const numbers = place.split(",").map(Number);
  const [x, y, width, height] = numbers;
  if (
    numbers.length !== 4 ||
    !numbers.every(Number.isFinite) ||
    x === undefined ||
    y === undefined ||
    width === undefined ||
    height === undefined
  )
    throw new UsageError(
      `--region is ${JSON.stringify(text)}; expected x,y,width,height in fractions of the picture, such as 0.1,0.2,0.3,0.1, or that with @category, and of a video with :start-end in seconds.`,
    );
  const [known] = category === undefined ? [] : categoriesOf([category]);
  return {
    box: { x, y, width, height },
    ...(known !== undefined && { category: known }),
    ...(start !== undefined && { start_seconds: Number(start), end_seconds: Number(end) }),
  };
}
