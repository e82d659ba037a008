import type { Transport } from "./upload-request.ts";
import type { createGate } from "./upload-gate.ts";

/** How many files are sent at once. */
const AT_ONCE = 4;
/**
 * The most attempts to send a file that the service cannot accept now. They take two minutes, as long as the service may hold the key of
 * an interrupted attempt.
 */
const MOST_TRIES = 8;
/** The most attempts to send a file whose upload breaks off. */
const MOST_BREAKS = 8;
/** The longest wait that the page accepts from the service; for longer ones, a person must decide. Rate limits last a minute. */
const MOST_WAIT_SECONDS = 120;
const MOST_BACKOFF_SECONDS = 30;
const SIGN_IN_SECONDS = 10;

/** The state of a file. `share` is how much of it was sent. */
export type Progress =
  | { readonly kind: "waiting" | "storing" | "cancelled" | "cancelling" | "queued" | "gone" }
  | { readonly kind: "sending"; readonly share: number }
  | { readonly kind: "pausing"; readonly why: string; readonly seconds: number }
  | { readonly kind: "refused"; readonly why: string; readonly canRetry: boolean }
  | { readonly kind: "processing"; readonly share: number | null }
  | { readonly kind: "completed"; readonly hasOutput: boolean }
  | { readonly kind: "failed"; readonly why: string };

/** A file to redact, with the settings at the time of the request. */
export interface Upload {
  file: File;
  path: string;
  isVideo: boolean;
  fields: readonly (readonly [string, string])[];
  idempotencyKey: string;
  progress: Progress;
  mediaId: string | undefined;
  tries: number;
  breaks: number;
  sending: AbortController | undefined;
}

/** Sends files, several at once, in the order in which they are added. */
export function createUploadQueue({
  send,
  gate,
  discard,
  renewSession,
  onChange,
}: {
  readonly send: Transport;
  readonly gate: ReturnType<typeof createGate>;
  /** Deletes a file that was canceled after it had arrived. */
  readonly discard: (mediaId: string) => Promise<unknown>;
  /** Whether a person has signed in again. */
  readonly renewSession: () => Promise<boolean>;
  readonly onChange: (upload: Upload) => void;
}) {
  let waiting: Upload[] = [];
  let active = 0;
  let outages = 0;

  const show = (upload: Upload, progress: Progress) => {
    upload.progress = progress;
    onChange(upload);
  };

  function start() {
    for (let idle = waiting.length; idle > 0 && active < AT_ONCE; idle--) {
      active++;
      void work();
    }
  }

  async function work() {
    for (;;) {
      await gate.passed();
      const next = waiting.shift();
      if (next === undefined) {
        active--;
        return;
      }
      await sendOnce(next);
    }
  }

  async function sendOnce(upload: Upload) {
    const sending = new AbortController();
    upload.sending = sending;
    let hasSent = false;
    show(upload, { kind: "sending", share: 0 });
    const outcome = await send({
      file: upload.file,
      fields: upload.fields,
      idempotencyKey: upload.idempotencyKey,
      signal: sending.signal,
      onProgress: (share) => {
        hasSent = true;
        if (isCancelled(upload)) return;
        show(upload, share >= 1 ? { kind: "storing" } : { kind: "sending", share });
      },
    });
    upload.sending = undefined;
    if (outcome.kind !== "lost") outages = 0;
    if (isCancelled(upload)) {
      if (outcome.kind === "stored") await discard(outcome.mediaId);
      show(upload, { kind: "cancelled" });
    } else if (outcome.kind === "stored") {
      upload.mediaId = outcome.mediaId;
      show(upload, { kind: "queued" });
    } else if (outcome.kind === "lost") {
      lost(upload, { hasSent, hasKept: outcome.hasKept === true });
    } else if (outcome.kind === "quota") {
      refuseRest(upload, outcome);
    } else if (outcome.kind === "signed_out") {
      await waitForSession(upload);
    } else {
      await putOff(upload, outcome);
    }
  }

  function lost(
    upload: Upload,
    { hasSent, hasKept }: { readonly hasSent: boolean; readonly hasKept: boolean },
  ) {
    if (hasKept) upload.breaks = 0;
    if (hasSent && ++upload.breaks >= MOST_BREAKS) {
      show(upload, { kind: "refused", why: "The connection broke every time.", canRetry: true });
      return;
    }
    again(upload);
    // Files that are sent together fail together in one outage.
    if (gate.isClosed()) return;
    gate.close("The connection was lost.", Math.min(2 ** outages, MOST_BACKOFF_SECONDS));
    outages++;
  }

  /** The period's quota is used up, so other photos need not be sent to be refused too. Videos may be shorter and still fit. */
  function refuseRest(
    upload: Upload,
    { fault, metric }: { readonly fault: string; readonly metric?: unknown },
  ) {
    const isAlike = (other: Upload) => metric === "images" && !other.isVideo;
    const refused = [upload, ...waiting.filter(isAlike)];
    waiting = waiting.filter((other) => !isAlike(other));
    for (const one of refused) show(one, { kind: "refused", why: fault, canRetry: true });
  }

  async function waitForSession(upload: Upload) {
    if (await renewSession()) {
      if (++upload.tries >= MOST_TRIES)
        show(upload, { kind: "refused", why: "The service did not accept the session.", canRetry: true });
      else again(upload);
      return;
    }
    again(upload);
    gate.close("The session has ended. Sign in again in another tab.", SIGN_IN_SECONDS);
  }

  async function putOff(
    upload: Upload,
    {
      kind,
      fault,
      retryAfterSeconds,
    }: {
      readonly kind: "limited" | "later" | "refused";
      readonly fault: string;
      readonly retryAfterSeconds: number | undefined;
    },
  ) {
    const seconds = Math.max(retryAfterSeconds ?? 0, kind === "limited" ? 1 : 2 ** upload.tries);
    if (kind === "limited" && seconds <= MOST_WAIT_SECONDS) {
      again(upload);
      gate.close(fault, seconds);
      return;
    }
    upload.tries++;
    if (kind === "refused" || seconds > MOST_WAIT_SECONDS || upload.tries >= MOST_TRIES) {
      show(upload, { kind: "refused", why: fault, canRetry: true });
      return;
    }
    const untilMs = Date.now() + seconds * 1000;
    for (let leftMs = seconds * 1000; leftMs > 0; leftMs = untilMs - Date.now()) {
      show(upload, { kind: "pausing", why: fault, seconds: Math.ceil(leftMs / 1000) });
      await new Promise((resolve) => {
        window.setTimeout(resolve, Math.min(leftMs, 1000));
      });
      if (isCancelled(upload)) return;
    }
    again(upload);
  }

  function again(upload: Upload) {
    if (isCancelled(upload)) return;
    waiting.unshift(upload);
    show(upload, { kind: "waiting" });
  }

  return {
    add(uploads: readonly Upload[]) {
      waiting.push(...uploads);
      start();
    },
    /** Sends a refused or canceled file again. */
    retry(upload: Upload) {
      // The key of a canceled upload may belong to a deleted media item.
      if (upload.progress.kind === "cancelled") upload.idempotencyKey = newIdempotencyKey();
      upload.tries = 0;
      upload.breaks = 0;
      waiting.push(upload);
      show(upload, { kind: "waiting" });
      start();
    },
    cancel(upload: Upload) {
      waiting = waiting.filter((other) => other !== upload);
      if (upload.progress.kind === "storing") {
        // The file may have arrived completely. The page waits for the answer, so that it can delete the file.
        show(upload, { kind: "cancelling" });
      } else {
        show(upload, { kind: "cancelled" });
        upload.sending?.abort();
      }
    },
  };
}

/** A unique key. Browsers do not offer `crypto.randomUUID` to pages over plain HTTP. */
export function newIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a file is waiting to be sent or being sent. */
export function isUnsent({ progress: { kind } }: Upload) {
  return ["waiting", "sending", "storing", "pausing", "cancelling"].includes(kind);
}

/** Whether a file waits for a person before it is redacted. */
export function isForReview({ fields }: Upload) {
  return fields.some(([name, value]) => name === "detect_only" && value === "true");
}

function isCancelled({ progress: { kind } }: Upload) {
  return kind === "cancelled" || kind === "cancelling";
}
