import { VeilError } from "./errors.ts";
import { refuseUnknown } from "./known-options.ts";
import { jsonBody } from "./json-body.ts";
import { labelFields, labelProperties, type UploadLabels } from "./labels.ts";
import { multipartBody, type UploadFile } from "./multipart.ts";
import { optionFields, optionProperties, type MaskingOptions } from "./options.ts";
import type { Stoppable } from "./stoppable.ts";
import type { RepeatableBody } from "./transport.ts";
import type { RedactionCategory, RedactionMethod } from "./types.ts";

/** A file; the https URL of one on a public host, which the service fetches itself; or one that was sent in parts. */
export type UploadSource =
  | {
      /** A `Blob` or `File`, which is read as it is sent and again on a retry, or bytes. Node's `openAsBlob` opens a file on disk. */
      readonly file: UploadFile | Uint8Array;
      readonly sourceUrl?: undefined;
    }
  | { readonly sourceUrl: string; readonly file?: undefined }
  /** The id of a resumable upload of which all bytes have arrived. */
  | { readonly uploadId: string; readonly file?: undefined; readonly sourceUrl?: undefined };

/** What to upload and what must disappear in it. */
export type UploadRequest = UploadSource & UploadOptions;

/** How a file is uploaded, and what must disappear in it. */
export interface UploadOptions extends Stoppable, MaskingOptions, UploadLabels {
  /** The file's own name unless given; of a URL, the last part of its path. */
  readonly filename?: string;
  readonly categories: readonly RedactionCategory[];
  readonly method?: RedactionMethod;
  /** The same key on a retry of the same upload answers as the first time. One is made unless given. */
  readonly idempotencyKey?: string;
  /** Called with upload progress; resets on retry. */
  readonly onProgress?: (progress: { sentBytes: number; totalBytes: number }) => void;
}

const OPTION_NAMES = Object.keys({
  file: true,
  sourceUrl: true,
  uploadId: true,
  filename: true,
  categories: true,
  method: true,
  sensitivity: true,
  minConfidence: true,
  regions: true,
  ignoreRegions: true,
  detectOnly: true,
  audio: true,
  folder: true,
  metadata: true,
  idempotencyKey: true,
  onProgress: true,
  signal: true,
} satisfies Record<OptionName, true>);
/** Every option of every kind of upload. */
type OptionName = UploadRequest extends infer Kind ? (Kind extends unknown ? keyof Kind : never) : never;

/** Additional options of `redact`. */
export const WAIT_OPTION_NAMES = ["timeoutMs", "onPoll"] as const;
const SOURCE_NAMES = ["file", "sourceUrl", "uploadId"] as const;
/**
 * Refuses what would be sent with other settings than were meant: an unknown option, which types do not see in plain JavaScript, or a
 * file that is none.
 *
 * @throws VeilError
 */
export function checkUploadRequest(request: UploadRequest, moreNames: readonly string[] = []): void {
  refuseUnknown(request, [...OPTION_NAMES, ...moreNames], " Nothing was sent.");
  const given: Partial<Record<(typeof SOURCE_NAMES)[number], unknown>> = request;
  const sources = SOURCE_NAMES.filter((name) => given[name] !== undefined);
  if (sources.length !== 1) {
    const found = sources.length === 0 ? "none is given" : `${sources.join(" and ")} are given`;
    throw new VeilError(`Exactly one of ${SOURCE_NAMES.join(", ")} is required; ${found}.`);
  }
  if (!Array.isArray(request.categories))
    throw new VeilError('categories is not an array; expected one such as ["heads"].');
  if (given.file !== undefined && !isFile(given.file)) throw new VeilError(sentenceAbout(given.file));
}

function isFile(file: unknown): file is UploadFile | Uint8Array {
  if (file instanceof Uint8Array) return true;
  const { size, stream } = Object(file) as { readonly size?: unknown; readonly stream?: unknown };
  return typeof size === "number" && typeof stream === "function";
}

function sentenceAbout(file: unknown): string {
  const accepted = "expected a Blob, a File or a Uint8Array";
  return typeof file === "string"
    ? `file is text; ${accepted}. Open a path with openFile of @veil/client/node, and give a URL as sourceUrl.`
    : `file is of type ${typeof file}; ${accepted}.`;
}

/** The body of an upload: a form with its file, or JSON that names where the file is. */
export function uploadBody(request: UploadRequest): RepeatableBody {
  const { file, filename, categories, method } = request;
  if (file === undefined) {
    return jsonBody({
      ...("uploadId" in request && request.uploadId !== undefined
        ? { upload_id: request.uploadId }
        : { source_url: request.sourceUrl }),
      ...(filename === undefined ? {} : { filename }),
      categories,
      ...(method === undefined ? {} : { redaction_method: method }),
      ...optionProperties(request),
      ...labelProperties(request),
    });
  }
  const fields = [
    ...categories.map((category) => ["categories[]", category] as const),
    ...(method === undefined ? [] : [["redaction_method", method] as const]),
    ...optionFields(request),
    ...labelFields(request),
  ];
  const readable: UploadFile = file instanceof Uint8Array ? new Blob([new Uint8Array(file)]) : file;
  return multipartBody(fields, readable, filename ?? readable.name ?? "file");
}
