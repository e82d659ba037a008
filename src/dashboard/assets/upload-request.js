/** A connection that carries nothing for so long is given up. The service takes seconds to answer a whole file. */
const STALL_MS = 120_000;

/**
 * What became of one try to send a file: the id of its media, or why there is none. `retryAfterSeconds` is how long the service
 * asks to wait; `isTransient` says that the same file may be accepted later.
 *
 * @typedef {{ readonly mediaId: string, readonly fault?: undefined }
 *   | { readonly mediaId?: undefined, readonly fault: string, readonly isTransient: boolean,
 *       readonly retryAfterSeconds: number | undefined }} Outcome
 */

/**
 * Sends a file once. It never rejects.
 *
 * @param {object} upload
 * @param {string} upload.url
 * @param {string} upload.csrfToken
 * @param {string} upload.idempotencyKey The same for each try of one file, so that none is stored twice.
 * @param {readonly (readonly [string, string])[]} upload.fields
 * @param {File} upload.file
 * @param {(share: number) => void} upload.onProgress
 * @returns {Promise<Outcome>}
 */
export async function sendFile({ url, csrfToken, idempotencyKey, fields, file, onProgress }) {
  if (!(await isReadable(file))) {
    const fault = "The file can no longer be read. Choose it again.";
    return { fault, isTransient: false, retryAfterSeconds: undefined };
  }
  const body = new FormData();
  for (const [name, value] of fields) body.append(name, value);
  body.append("file", file);
  return await new Promise((resolve) => {
    const request = new XMLHttpRequest();
    let stall = 0;
    const watch = () => {
      window.clearTimeout(stall);
      stall = window.setTimeout(() => {
        request.abort();
      }, STALL_MS);
    };
    request.open("POST", url);
    request.setRequestHeader("Accept", "application/json");
    request.setRequestHeader("X-CSRF-Token", csrfToken);
    request.setRequestHeader("Idempotency-Key", idempotencyKey);
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      watch();
      onProgress(loaded / total);
    });
    request.addEventListener("loadend", () => {
      window.clearTimeout(stall);
      resolve(outcomeOf(request));
    });
    watch();
    request.send(body);
  });
}

/** @param {File} file */
async function isReadable(file) {
  try {
    await file.slice(0, 1).arrayBuffer();
    return true;
  } catch {
    return false;
  }
}

/**
 * @param {XMLHttpRequest} request
 * @returns {Outcome}
 */
function outcomeOf(request) {
  const { id, error } = readAnswer(request.responseText);
  if (request.status === 201 && id !== undefined) return { mediaId: id };
  const retryAfterSeconds = retryAfterOf(request);
  if (request.status === 0)
    return { fault: "The connection was lost.", isTransient: true, retryAfterSeconds };
  return {
    fault: error === undefined ? "The service gave an answer that cannot be read." : sentencesOf(error),
    isTransient: request.status >= 500 || request.status === 429 || retryAfterSeconds !== undefined,
    retryAfterSeconds,
  };
}

/**
 * How long an answer asks to wait, as seconds or as a date (RFC 9110, 10.2.3).
 *
 * @param {XMLHttpRequest} request
 */
function retryAfterOf(request) {
  const text = request.getResponseHeader("Retry-After");
  if (text === null) return undefined;
  const seconds = /^\d+$/.test(text) ? Number(text) : (Date.parse(text) - Date.now()) / 1000;
  return Number.isNaN(seconds) ? undefined : Math.max(1, Math.ceil(seconds));
}

/** @typedef {{ code: string, message: string, details: Record<string, unknown> }} AnsweredError */

/**
 * @param {string} body
 * @returns {{ id?: string, error?: AnsweredError }}
 */
function readAnswer(body) {
  try {
    return /** @type {ReturnType<typeof readAnswer>} */ (JSON.parse(body));
  } catch {
    return {};
  }
}

/** @param {AnsweredError} error */
function sentencesOf({ code, message, details }) {
  if (code === "validation_failed") return Object.values(details).flat().join(" ");
  // Its message says how long to wait, which is counted down here.
  if (code === "rate_limit_exceeded")
    return `The plan allows ${String(details["limit"])} requests per minute.`;
  return message;
}
