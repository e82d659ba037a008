import { DEFAULT_RETRY, sleep } from "./back-off.js";
import { baseUrlOf } from "./base-url.js";
import { openDownload } from "./download.js";
import { VeilError, VeilMediaError, VeilTimeoutError } from "./errors.js";
import { multipartBody } from "./multipart.js";
import { readJson, send } from "./transport.js";
const DEFAULT_IDLE_TIMEOUT_MS = 60_000;
const FIRST_POLL_MS = 250;
const POLL_GROWTH = 1.5;
const LONGEST_POLL_MS = 5_000;
const MOST_PER_PAGE = 100;
const FINAL = new Set(["completed", "failed", "quota_exceeded"]);
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
    #access;
    /** @throws VeilError when the base URL cannot be used */
    constructor(options) {
        const { baseUrl, apiKey, retry, idleTimeoutMs = DEFAULT_IDLE_TIMEOUT_MS, allowHttp = false } = options;
        this.#access = {
            baseUrl: baseUrlOf(baseUrl, { allowHttp }),
            apiKey,
            fetch: options.fetch ?? (async (url, init) => await fetch(url, init)),
            retry: { ...DEFAULT_RETRY, ...retry },
            idleTimeoutMs,
        };
    }
    /** Uploads a file and queues its redaction. However often it must be tried, one media item is made. */
    async upload(request) {
        const { file, filename = file.name ?? "file", categories, method, onProgress, signal } = request;
        const body = multipartBody([
            ...categories.map((category) => ["categories[]", category]),
            ...(method === undefined ? [] : [["redaction_method", method]]),
        ], file, filename);
        return await send(this.#access, {
            method: "POST",
            path: "/media/redact",
            headers: { "Idempotency-Key": request.idempotencyKey ?? crypto.randomUUID() },
            body,
            onSent: (sentBytes) => onProgress?.({ sentBytes, totalBytes: body.sizeBytes }),
            signal,
            read: readJson,
        });
    }
    /** One media item as it is now. */
    async get(mediaId, { signal } = {}) {
        const path = pathOf(mediaId);
        return await send(this.#access, { method: "GET", path, signal, read: readJson });
    }
    /** Polls a media item, less and less often, until it has ended: `completed`, `failed` or `quota_exceeded`. */
    async wait(mediaId, { timeoutMs, onPoll, signal } = {}) {
        const untilMs = timeoutMs === undefined ? Infinity : Date.now() + timeoutMs;
        for (let delayMs = FIRST_POLL_MS;; delayMs = Math.min(delayMs * POLL_GROWTH, LONGEST_POLL_MS)) {
            const media = await this.get(mediaId, { signal });
            onPoll?.(media);
            if (FINAL.has(media.status))
                return media;
            const leftMs = untilMs - Date.now();
            if (leftMs <= 0)
                throw new VeilTimeoutError(`Media ${mediaId} is still ${media.status}; it was waited for long enough.`);
            await sleep(Math.min(delayMs * (0.8 + 0.4 * Math.random()), leftMs), signal);
        }
    }
    /** Uploads a file and waits until it is redacted. @throws VeilMediaError when it ends without a redacted file */
    async redact(request) {
        const { id } = await this.upload(request);
        const media = await this.wait(id, request);
        if (media.status !== "completed")
            throw await this.mediaError(media, request);
        return media;
    }
    /** How far a media item is, why it failed if it did, and when its files are deleted. */
    async statusDetails(mediaId, { signal } = {}) {
        const path = `${pathOf(mediaId)}/status-details`;
        return await send(this.#access, { method: "GET", path, signal, read: readJson });
    }
    /** The error that says why a media item ended without a redacted file. */
    async mediaError(media, { signal } = {}) {
        try {
            const { failure } = await this.statusDetails(media.id, { signal });
            return new VeilMediaError(media, failure ?? undefined);
        }
        catch (error) {
            signal?.throwIfAborted();
            // That it failed is known, and must not be hidden by a fault in asking why.
            if (error instanceof VeilError)
                return new VeilMediaError(media);
            throw error;
        }
    }
    /** The redacted file of a completed media item, as a stream that goes on where it was when the connection breaks off. */
    async download(mediaId, { signal } = {}) {
        return await openDownload(this.#access, { path: `${pathOf(mediaId)}/download`, signal });
    }
    /** A page of the account's media, newest first. */
    async list(query = {}, { signal } = {}) {
        const given = Object.entries(query).filter(([, value]) => value !== undefined);
        const parameters = new URLSearchParams(given.map(([name, value]) => [name, String(value)]));
        const path = `/media?${parameters.toString()}`;
        return await send(this.#access, { method: "GET", path, signal, read: readJson });
    }
    /**
     * All media of a kind, newest first, page after page. Uploads that come in between move the pages; what they move onto
     * the next one is not given twice.
     */
    async *listAll(filter = {}, { signal } = {}) {
        let before = new Set();
        for (let page = 1;; page++) {
            const { data, links } = await this.list({ ...filter, page, per_page: MOST_PER_PAGE }, { signal });
            yield* data.filter(({ id }) => !before.has(id));
            if (links.next === null)
                return;
            before = new Set(data.map(({ id }) => id));
        }
    }
    /** Deletes a media item and everything of it. */
    async delete(mediaId, { signal } = {}) {
        await send(this.#access, {
            method: "DELETE",
            path: pathOf(mediaId),
            signal,
            // An earlier try whose answer was lost has deleted it.
            isGood: (status, attempt) => status === 404 && attempt > 0,
            read: async ({ body }) => await body?.cancel(),
        });
    }
    /** Usage and limits of the current billing period. */
    async usage({ signal } = {}) {
        return await send(this.#access, { method: "GET", path: "/usage", signal, read: readJson });
    }
}
function pathOf(mediaId) {
    return `/media/${encodeURIComponent(mediaId)}`;
}
