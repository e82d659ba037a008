import type { Transport } from "./upload-request.ts";
import type { createGate } from "./upload-gate.ts";

/** Files that are sent at once. */
const AT_ONCE = 4;
/** A file that the service cannot take now is sent at most so often: two minutes, as long as it may hold the key of a try that broke off. */
const MOST_TRIES = 8;
/** A file whose sending breaks off half-way is sent at most so often. */
const MOST_BREAKS = 8;
/** A wait that the service asks for is kept up to this length; past it, somebody has to decide. Limits last a minute. */
const MOST_WAIT_SECONDS = 120;
const MOST_BACKOFF_SECONDS = 30;
const SIGN_IN_SECONDS = 10;

/** Where a file is on its way. `share` is how much of it was sent. */
export type Progress =
  | { readonly kind: "waiting" | "storing" | "cancelled" | "cancelling" | "queued" | "gone" }
  | { readonly kind: "sending"; readonly share: number }
  | { readonly kind: "pausing"; readonly why: string; readonly seconds: number }
  | { readonly kind: "refused"; readonly why: string; readonly canRetry: boolean }
  | { readonly kind: "processing"; readonly share: number | null }
  | { readonly kind: "completed"; readonly hasOutput: boolean }
  | { readonly kind: "failed"; readonly why: string };

/** A file that a person wants redacted, with what was chosen when they said so. */
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

/** Sends files, some at once, in the order that they are added. */
export function createUploadQueue({
  send,
  gate,
  discard,
  renewSession,
  onChange,
}: {
  readonly send: Transport;
  readonly gate: ReturnType<typeof createGate>;
  /** Deletes what was cancelled after it had arrived. */
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
    // What is sent at once breaks off at once: that is one outage.
    if (gate.isClosed()) return;
    gate.close("The connection was lost.", Math.min(2 ** outages, MOST_BACKOFF_SECONDS));
    outages++;
  }

  /** The period has no room for photos any more: others need not be sent to hear the same. Videos may be shorter. */
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
    /** Sends a file that was refused or cancelled once more. */
    retry(upload: Upload) {
      // The key of an upload that was cancelled may stand for a media that is deleted.
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
        // It may have arrived whole: what becomes of it is waited for, so that nothing of it stays.
        show(upload, { kind: "cancelling" });
      } else {
        show(upload, { kind: "cancelled" });
        upload.sending?.abort();
      }
    },
  };
}

/** A key that no other upload has. Browsers keep `crypto.randomUUID` from pages that come over plain HTTP. */
export function newIdempotencyKey() {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Whether a file is still to be sent, or being sent. */
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
