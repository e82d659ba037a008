import { sendFile } from "./upload-request.js";
import { addUploadRow } from "./upload-row.js";

/** A file is sent at most so often. */
const MAX_TRIES = 5;
/** A pause that the service asks for is kept up to this length; past it, somebody has to decide. Limits last a minute. */
const MAX_PAUSE_SECONDS = 120;

/**
 * What is to be done with a file, as it was chosen when the file was.
 *
 * @typedef {object} Choices
 * @property {readonly (readonly [string, string])[]} fields
 * @property {string} text
 */

/**
 * @typedef {object} Waiting
 * @property {File} file
 * @property {Choices} choices
 * @property {string} idempotencyKey
 * @property {import("./upload-row.js").UploadRow} row
 */

/**
 * Sends files one after the other, those that are added meanwhile too.
 *
 * @param {object} target
 * @param {string} target.url
 * @param {string} target.csrfToken
 * @param {number} target.maxFileBytes
 * @param {Element} target.list Where each file gets a line.
 * @param {() => void} target.onStart There is something to do from now on.
 * @param {() => void} target.onChange Another file was taken, sent or refused.
 * @param {(why: string, seconds: number) => void} target.onPause The service wants fewer requests, or does not answer.
 * @param {() => void} target.onEnd Everything is done for now.
 */
export function createUploadQueue(target) {
  const { url, csrfToken, maxFileBytes, list, onStart, onChange, onPause, onEnd } = target;
  /** @type {Waiting[]} */
  const waiting = [];
  const counts = { taken: 0, refused: 0 };
  /** @type {string[]} */
  const mediaIds = [];
  let holds = 0;

  /**
   * Keeps the queue from ending while `work` lasts.
   *
   * @param {() => Promise<void>} work
   */
  async function during(work) {
    if (holds++ === 0) onStart();
    try {
      await work();
    } finally {
      if (--holds === 0) onEnd();
    }
  }

  /** @param {Waiting} next */
  function put(next) {
    waiting.push(next);
    onChange();
    if (waiting.length === 1) void during(sendWaiting);
  }

  async function sendWaiting() {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      await sendOne(next);
      waiting.shift();
      onChange();
    }
  }

  /** @param {Waiting} next */
  function faultOf({ file, choices }) {
    if (!choices.fields.some(([name]) => name === "categories[]"))
      return "No category is selected. Select what to redact, then add the file again.";
    if (file.size > maxFileBytes)
      return `The file is ${(file.size / 1e6).toFixed(1)} MB. The limit is ${maxFileBytes / 1e6} MB.`;
    return undefined;
  }

  /** @param {Waiting} next */
  async function sendOne(next) {
    const { file, choices, idempotencyKey, row } = next;
    const fault = faultOf(next);
    if (fault !== undefined) {
      refuse(row, fault);
      return;
    }
    for (let tries = 1; ; tries++) {
      const outcome = await sendFile({
        url,
        csrfToken,
        idempotencyKey,
        fields: choices.fields,
        file,
        onProgress: (share) => {
          row.progress(share);
        },
      });
      if (outcome.mediaId !== undefined) {
        mediaIds.push(outcome.mediaId);
        row.done(`${url}/${outcome.mediaId}`);
        return;
      }
      const pauseSeconds = outcome.retryAfterSeconds ?? 2 ** (tries - 1);
      if (!outcome.isTransient || tries === MAX_TRIES || pauseSeconds > MAX_PAUSE_SECONDS) {
        refuse(row, outcome.fault, outcome.isTransient ? next : undefined);
        return;
      }
      onPause(outcome.fault, pauseSeconds);
      await pause(row, outcome.fault, pauseSeconds);
      onChange();
    }
  }

  /**
   * @param {Waiting["row"]} row
   * @param {string} why
   * @param {Waiting} [again] What to send when a person asks for it.
   */
  function refuse(row, why, again) {
    counts.refused++;
    row.refuse(
      why,
      again &&
        (() => {
          counts.refused--;
          row.wait();
          put(again);
        }),
    );
  }

  return {
    counts,
    mediaIds,
    during,
    /**
     * @param {{ readonly file: File, readonly path: string }} found
     * @param {Choices} choices
     */
    add({ file, path }, choices) {
      counts.taken++;
      const row = addUploadRow(list, { name: path, choices: choices.text });
      put({ file, choices, idempotencyKey: crypto.randomUUID(), row });
    },
  };
}

/**
 * Counts down in a file's line.
 *
 * @param {Waiting["row"]} row
 * @param {string} why
 * @param {number} seconds
 */
async function pause(row, why, seconds) {
  const until = Date.now() + seconds * 1000;
  // By the clock, since a page in the background is woken up to once a minute.
  for (let leftMs = seconds * 1000; leftMs > 0; leftMs = until - Date.now()) {
    row.pause(why, Math.ceil(leftMs / 1000));
    await new Promise((resolve) => {
      window.setTimeout(resolve, Math.min(leftMs, 1000));
    });
  }
  row.resume();
}
