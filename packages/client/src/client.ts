import { cursorIn } from "./page-cursor.ts";
import { DEFAULT_RETRY, sleep, type RetryPolicy } from "./back-off.ts";
import { baseUrlOf } from "./base-url.ts";
import { onCurrentVersion } from "./current-version.ts";
import { openDownload, type Download } from "./download.ts";
import { VeilError, VeilMediaError, VeilTimeoutError } from "./errors.ts";
import { jsonBody } from "./json-body.ts";
import { refuseUnknown } from "./known-options.ts";
import { endUpload, offsetOf, sendInParts, type SendOptions } from "./resumable.ts";
import type { Stoppable } from "./stoppable.ts";
import { readJson, send, type Access, type Fetch } from "./transport.ts";
import type {
  Deletions,
  DeletionsQuery,
  Detections,
  Includable,
  Media,
  MediaListing,
  MediaQuery,
  MediaStatus,
  MediaWithIncluded,
  RedactionCategory,
  ResumableUpload,
  Revision,
  StatusDetails,
  Usage,
} from "./types.ts";
import { checkUploadRequest, uploadBody, WAIT_OPTION_NAMES, type UploadRequest } from "./upload-request.ts";

const DEFAULT_IDLE_TIMEOUT_MS = 60_000;
/** A service answers once it has fetched a source: within 75 s unless its operator says otherwise. */
const LONGEST_FETCH_MS = 100_000;
const FIRST_POLL_MS = 250;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 5_000;
const MOST_PER_PAGE = 100;
const FINAL: ReadonlySet<MediaStatus> = new Set(["completed", "failed", "quota_exceeded"]);

/** How a client reaches the service. */
export interface VeilClientOptions {
  /** The address with its version, such as `https://veil.example.com/api/v1`; an origin alone gets the version. */
  readonly baseUrl: string | undefined;
  /** Such as `process.env.VEIL_API_KEY`; the constructor refuses a key that is missing. */
  readonly apiKey: string | undefined;
  /** How often and how patiently faults that may pass are tried again. */
  readonly retry?: Partial<RetryPolicy>;
  /** Idle timeout; the request is retried. 60 seconds by default. */
  readonly idleTimeoutMs?: number;
  /** Lets the key and the files travel unencrypted to another machine. To this machine http is always accepted. */
  readonly allowHttp?: boolean;
  /** Sends the requests; the global `fetch` unless given. */
  readonly fetch?: Fetch;
}

/** Which detections of a media item are listed. */
export interface DetectionsFilter {
  /** Only those that are redacted, or only those that are not. */
  readonly redacted?: boolean | undefined;
  /** Only those of these categories; all unless given. */
  readonly categories?: readonly RedactionCategory[] | undefined;
}

/** How a revision is made. */
export interface ReviseOptions extends Stoppable {
  /** Starts from what the file's current version hides, in place of the media item that is named. */
  readonly fromCurrent?: boolean;
  /** The same key on a retry of the same revision answers as the first time. One is made unless given. */
  readonly idempotencyKey?: string;
}

/** How a failed media item is retried. */
export interface RetryOptions extends Stoppable {
  /** The same key on a repetition of the same request answers as the first time. One is made unless given. */
  readonly idempotencyKey?: string;
}

/** How long a media item is waited for. */
export interface WaitOptions extends Stoppable {
  /** As long as it takes by default. */
  readonly timeoutMs?: number | undefined;
  /** Called after each poll. */
  readonly onPoll?: ((media: Media) => void) | undefined;
}

/**
 * A client of the Veil API. Every call is repeated while its faults may pass by themselves, and throws a `VeilError`.
 *
 * ```ts
 * const veil = new VeilClient({ baseUrl: "https://veil.example.com/api/v1", apiKey });
 * const media = await veil.redact({ file, categories: ["heads", "license_plates"] });
 * const { body } = await veil.download(media.id);
 * ```
 *
 * Uploads are streamed: Node, Deno, Bun and Workers can, browsers based on Chromium over HTTP/2.
 */
export class VeilClient {
  readonly #access: Access;

  /** @throws VeilError when the base URL cannot be used or the API key is missing */
  constructor(options: VeilClientOptions) {
    const { baseUrl, apiKey, retry, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS, allowHttp = false } = options;
    if (apiKey === undefined || apiKey === "")
      throw new VeilError("The API key is missing; set apiKey, for example to process.env.VEIL_API_KEY.");
    this.#access = {
      baseUrl: baseUrlOf(baseUrl, { allowHttp }),
      apiKey,
      fetch: options.fetch ?? (async (url, init) => await fetch(url, init)),
      retry: { ...DEFAULT_RETRY, ...retry },
      idleTimeoutMs,
      contact: { isMade: false },
    };
  }

  /**
   * Uploads a file, or has the service fetch one, and queues its redaction. Retries never create duplicates.
   *
   * @throws VeilError for an unknown option, before anything is sent
   */
  async upload(request: UploadRequest): Promise<Media> {
    checkUploadRequest(request);
    return await this.#upload(request);
  }

  async #upload(request: UploadRequest): Promise<Media> {
    const { onProgress, signal } = request;
    const body = uploadBody(request);
    const access = request.file === undefined ? patient(this.#access) : this.#access;
    return await send(access, {
      method: "POST",
      path: "/media/redact",
      headers: { "Idempotency-Key": request.idempotencyKey ?? crypto.randomUUID() },
      body,
      onSent: (sentBytes) => onProgress?.({ sentBytes, totalBytes: body.sizeBytes }),
      signal,
      read: readJson<Media>,
    });
  }

  /** Begins a resumable upload. Its `upload_url` needs no API key, so a browser may send the file there. */
  async createUpload(
    file: { readonly sizeBytes: number; readonly filename?: string },
    { signal }: Stoppable = {},
  ): Promise<ResumableUpload> {
    refuseUnknown(file, ["sizeBytes", "filename"], " Nothing was sent.");
    const { sizeBytes, filename } = file;
    const name = filename === undefined ? {} : { "Upload-Metadata": `filename ${base64Of(filename)}` };
    return await send(this.#access, {
      method: "POST",
      path: "/uploads",
      headers: { "Tus-Resumable": "1.0.0", "Upload-Length": String(sizeBytes), ...name },
      signal,
      read: readJson<ResumableUpload>,
    });
  }

  /** How many bytes of a resumable upload have arrived. */
  async uploadOffset(uploadUrl: string, { signal }: Stoppable = {}): Promise<number> {
    return await offsetOf(this.#at(uploadUrl), signal);
  }

  /** Sends a file to a resumable upload, in parts, from where an earlier try has come to. */
  async sendUpload(uploadUrl: string, file: Blob, options: SendOptions = {}): Promise<void> {
    await sendInParts(this.#at(uploadUrl), file, options);
  }

  /** Ends a resumable upload and deletes what has arrived. */
  async deleteUpload(uploadUrl: string, { signal }: Stoppable = {}): Promise<void> {
    await endUpload(this.#at(uploadUrl), signal);
  }

  /** An upload's address is its secret: the key does not go there. */
  #at(uploadUrl: string): Access {
    return { ...this.#access, baseUrl: uploadUrl, apiKey: undefined };
  }

  /** One media item as it is now, with what `include` adds. */
  async get(
    mediaId: string,
    options: Stoppable & { readonly include?: readonly Includable[] } = {},
  ): Promise<MediaWithIncluded> {
    refuseUnknown(options, ["include", "signal"]);
    const { include: included = [], signal } = options;
    const include = [included].flat();
    const path = `${pathOf(mediaId)}${include.length === 0 ? "" : `?include=${include.join(",")}`}`;
    return await send(this.#access, { method: "GET", path, signal, read: readJson<MediaWithIncluded> });
  }

  /** Polls a media item, less and less often, until it has ended: `completed`, `failed` or `quota_exceeded`. */
  async wait(mediaId: string, options: WaitOptions = {}): Promise<Media> {
    refuseUnknown(options, [...WAIT_OPTION_NAMES, "signal"]);
    const { timeoutMs, onPoll, signal } = options;
    const untilMs = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
    for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * POLL_GROWTH, LONGEST_POLL_MS)) {
      const media = await this.get(mediaId, { signal });
      onPoll?.(media);
      if (FINAL.has(media.status)) return media;
      const leftMs = untilMs - Date.now();
      if (leftMs <= 0)
        throw new VeilTimeoutError(
          `Media ${mediaId} is still ${media.status}; the client stopped waiting for it.`,
        );
      await sleep(Math.min(delayMs * (0.8 + 0.4 * Math.random()), leftMs), signal);
    }
  }

  /** Uploads a file and waits until it is redacted. @throws VeilMediaError when it ends without a redacted file */
  async redact(request: UploadRequest & Omit<WaitOptions, "signal">): Promise<Media> {
    checkUploadRequest(request, WAIT_OPTION_NAMES);
    const { id } = await this.#upload(request);
    const { timeoutMs, onPoll, signal } = request;
    const media = await this.wait(id, { timeoutMs, onPoll, signal });
    if (media.status !== "completed") throw await this.mediaError(media, request);
    return media;
  }

  /** How far a media item is, why it failed if it did, and when its files are deleted. */
  async statusDetails(mediaId: string, { signal }: Stoppable = {}): Promise<StatusDetails> {
    const path = `${pathOf(mediaId)}/status-details`;
    return await send(this.#access, { method: "GET", path, signal, read: readJson<StatusDetails> });
  }

  /** What was found in a completed media item, with the ids by which a revision names it; all of it, or what a filter lists. */
  async detections(mediaId: string, options: DetectionsFilter & Stoppable = {}): Promise<Detections> {
    refuseUnknown(options, ["redacted", "categories", "signal"]);
    const { redacted, categories = [], signal } = options;
    const query = new URLSearchParams(categories.map((category) => ["category", category]));
    if (redacted !== undefined) query.set("redacted", String(redacted));
    const path = `${pathOf(mediaId)}/detections${query.size === 0 ? "" : `?${query.toString()}`}`;
    return await send(this.#access, { method: "GET", path, signal, read: readJson<Detections> });
  }

  /**
   * Creates a revision of a completed media item, which hides `redact` less `except` plus `regions`. The revision is a media item like
   * any other: wait for it and download it. Retries never create duplicates.
   *
   * A revision starts from the media item that you name. It does not include regions of later revisions, and `all`, the default, means
   * what the first run hid, including what an earlier revision excepted. With `fromCurrent`, it starts from what the file's current
   * version hides, whichever version you name, and `redact` adds to that.
   */
  async revise(mediaId: string, revision: Revision, options: ReviseOptions = {}): Promise<Media> {
    refuseUnknown(options, ["fromCurrent", "idempotencyKey", "signal"], " Nothing was sent.");
    const { fromCurrent = false, idempotencyKey, signal } = options;
    const order = fromCurrent
      ? await onCurrentVersion(mediaId, revision, {
          media: async (id) => await this.get(id, { include: ["versions"], signal }),
          redacted: async (id) => await this.detections(id, { redacted: true, signal }),
        })
      : { mediaId, revision };
    return await send(this.#access, {
      method: "POST",
      path: `${pathOf(order.mediaId)}/revisions`,
      headers: { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() },
      body: jsonBody(order.revision),
      signal,
      read: readJson<Media>,
    });
  }

  /**
   * Tries a failed media item again, from its stored source and with the same settings. The retry is a media item like any other: wait for
   * it and download it. Repeating the call never creates duplicates.
   *
   * @throws VeilApiError with `conflict` when it cannot be retried: `reason` of its details is `not_failed`, `not_retryable` or
   * `source_deleted`
   */
  async retry(mediaId: string, options: RetryOptions = {}): Promise<Media> {
    refuseUnknown(options, ["idempotencyKey", "signal"], " Nothing was sent.");
    const { idempotencyKey, signal } = options;
    return await send(this.#access, {
      method: "POST",
      path: `${pathOf(mediaId)}/retry`,
      headers: { "Idempotency-Key": idempotencyKey ?? crypto.randomUUID() },
      signal,
      read: readJson<Media>,
    });
  }

  /** The error that says why a media item ended without a redacted file. */
  async mediaError(media: Media, { signal }: Stoppable = {}): Promise<VeilMediaError> {
    try {
      const { failure } = await this.statusDetails(media.id, { signal });
      return new VeilMediaError(media, failure ?? undefined);
    } catch (error) {
      signal?.throwIfAborted();
      // That it failed is known, and must not be hidden by a fault in asking why.
      if (error instanceof VeilError) return new VeilMediaError(media);
      throw error;
    }
  }

  /** The redacted file of a completed media item, as a stream. Interrupted downloads resume. */
  async download(mediaId: string, { signal }: Stoppable = {}): Promise<Download> {
    return await openDownload(this.#access, { path: `${pathOf(mediaId)}/download`, signal });
  }

  /** A page of the account's media, newest first. */
  async list(query: MediaQuery = {}, { signal }: Stoppable = {}): Promise<MediaListing> {
    refuseUnknown(query, QUERY_NAMES);
    const path = `/media?${parametersOf(query)}`;
    return await send(this.#access, { method: "GET", path, signal, read: readJson<MediaListing> });
  }

  /**
   * All media of a kind, newest first, page after page. Uploads and deletions in between neither repeat nor skip any.
   */
  async *listAll(
    filter: Omit<MediaQuery, "page" | "per_page" | "cursor"> = {},
    { signal }: Stoppable = {},
  ): AsyncGenerator<MediaWithIncluded, void, undefined> {
    for (let cursor: string | undefined = ""; cursor !== undefined;) {
      const page: MediaListing = await this.list({ ...filter, cursor, per_page: MOST_PER_PAGE }, { signal });
      yield* page.data;
      cursor = cursorIn(page.links.next);
    }
  }

  /** Deletes a media item and everything of it. */
  async delete(mediaId: string, { signal }: Stoppable = {}): Promise<void> {
    await send(this.#access, {
      method: "DELETE",
      path: pathOf(mediaId),
      signal,
      // An earlier try whose answer was lost has deleted it.
      isGood: (status, attempt) => status === 404 && attempt > 0,
      read: async ({ body }) => await body?.cancel(),
    });
  }

  /** What was deleted, when and by whom, the latest first, and what is left of it. Kept for a year. */
  async deletions(query: DeletionsQuery = {}, { signal }: Stoppable = {}): Promise<Deletions> {
    refuseUnknown(query, DELETIONS_QUERY_NAMES);
    const path = `/deletions?${parametersOf(query)}`;
    return await send(this.#access, { method: "GET", path, signal, read: readJson<Deletions> });
  }

  /** Usage and limits of the current billing period. */
  async usage({ signal }: Stoppable = {}): Promise<Usage> {
    return await send(this.#access, { method: "GET", path: "/usage", signal, read: readJson<Usage> });
  }
}

const QUERY_NAMES = Object.keys({
  status: true,
  media_type: true,
  page: true,
  per_page: true,
  external_id: true,
  folder: true,
  current: true,
  cursor: true,
  include: true,
} satisfies Record<keyof MediaQuery, true>);
const DELETIONS_QUERY_NAMES = Object.keys({
  media_id: true,
  file_name: true,
  request_id: true,
  cursor: true,
  per_page: true,
} satisfies Record<keyof DeletionsQuery, true>);

/** As long as a service may need to fetch a file before it answers. */
function patient(access: Access): Access {
  return { ...access, idleTimeoutMs: Math.max(access.idleTimeoutMs, LONGEST_FETCH_MS) };
}

function parametersOf(query: object): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined);
  return new URLSearchParams(given.map(([name, value]) => [name, String(value)])).toString();
}

function base64Of(text: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
}

/** @throws VeilError when there is no ID: the path would be another one */
function pathOf(mediaId: unknown): string {
  if (typeof mediaId !== "string" || mediaId === "")
    throw new VeilError(
      `The media ID is ${mediaId === "" ? "empty" : String(mediaId)}; expected the id of a media item.`,
    );
  return `/media/${encodeURIComponent(mediaId)}`;
}
