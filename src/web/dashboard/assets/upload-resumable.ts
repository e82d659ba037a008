import { UNREADABLE, exchange, isReadable, outcomeOf, sendOrder } from "./upload-request.ts";
import type { Outcome, Sending, Session, Transport } from "./upload-request.ts";

/** Bytes per request: well below the limits of networks in front of the service, and a multiple of the size of its stored parts. */
const REQUEST_BYTES = 64 * 1024 * 1024;
const VERSION = { "Tus-Resumable": "1.0.0" };
/** The service notices a broken request a little later than the page. */
const SETTLE_SECONDS = 2;
const MOST_DELETIONS = 4;
const DELETION_MS = 10_000;
/** As long as the file is incomplete, it can be discarded at once. */
const ALMOST_ALL = 0.999;

/**
 * An upload in progress: how much of it the service has confirmed, and whether it may be complete already, because the last response was lost.
 */
interface Begun {
  readonly id: string;
  readonly url: string;
  offsetBytes: number;
  isPerhapsUsed: boolean;
}

/**
 * Sends files in parts with tus 1.0.0. If the connection breaks, the next attempt continues after the bytes that arrived. Never rejects.
 *
 * @param beginUrl Where uploads are created.
 */
export function sendInParts(session: Session, beginUrl: string): Transport {
  const begun = new WeakMap<File, Begun>();

  /** Sends a file from where it stopped. Returns the outcome if the file did not arrive. */
  async function bring(sending: Sending): Promise<Outcome | undefined> {
    const known = begun.get(sending.file);
    if (known === undefined) {
      const started = await begin(session, beginUrl, sending);
      if ("kind" in started) return started;
      begun.set(sending.file, started);
      return await sendBytes(started, sending);
    }
    if (known.isPerhapsUsed) return undefined;
    const { signal } = sending;
    const answer = await exchange({ method: "HEAD", url: known.url, headers: VERSION, signal });
    if (answer.status === 404 || answer.status === 410) begun.delete(sending.file);
    if (answer.status !== 200) return faultOfUpload(answer);
    known.offsetBytes = Number(answer.getResponseHeader("Upload-Offset"));
    return await sendBytes(known, sending);
  }

  return async (sending) => {
    const { file, fields, signal, onProgress } = sending;
    if (!(await isReadable(file))) return UNREADABLE;
    const beforeBytes = begun.get(file)?.offsetBytes ?? 0;
    const fault = await bring(sending);
    const upload = begun.get(file);
    if (upload === undefined) return fault ?? EXPIRED;
    const outcome = fault ?? (await order(upload));
    if (outcome.kind === "refused" || (signal.aborted && outcome.kind !== "stored")) {
      begun.delete(file);
      void discard(upload);
    }
    if (outcome.kind !== "lost") return outcome;
    return { ...outcome, hasKept: upload.offsetBytes > beforeBytes };

    async function order(whole: Begun) {
      onProgress(1);
      const named = [...fields, ["upload_id", whole.id] as const, ["filename", file.name] as const];
      const answered = await sendOrder(session, { ...sending, fields: named, onProgress: () => undefined });
      whole.isPerhapsUsed = answered.kind === "lost";
      return answered;
    }
  };
}

const EXPIRED: Outcome = {
  kind: "later",
  fault: "The upload expired and starts again.",
  retryAfterSeconds: 1,
};

async function begin(session: Session, url: string, { file, signal }: Sending): Promise<Begun | Outcome> {
  const headers = {
    Accept: "application/json",
    "Content-Type": "application/json",
    "X-CSRF-Token": session.csrfToken,
  };
  const body = JSON.stringify({ filename: file.name, size_bytes: file.size });
  const answer = await exchange({ method: "POST", url, headers, body, signal });
  if (answer.status === 201) {
    const { upload_id: id, upload_path: path } = JSON.parse(answer.responseText) as {
      upload_id: string;
      upload_path: string;
    };
    return { id, url: path, offsetBytes: 0, isPerhapsUsed: false };
  }
  const outcome = outcomeOf(answer);
  // The account has the most unfinished uploads. The file can be sent once others end.
  return answer.status === 409 && outcome.kind === "refused" ? { ...outcome, kind: "later" } : outcome;
}

/** Sends the bytes that the service lacks. Returns the outcome if it was stopped. */
async function sendBytes(upload: Begun, { file, signal, onProgress }: Sending): Promise<Outcome | undefined> {
  while (upload.offsetBytes < file.size) {
    const { offsetBytes } = upload;
    const body = file.slice(offsetBytes, offsetBytes + REQUEST_BYTES);
    const answer = await exchange({
      method: "PATCH",
      url: upload.url,
      headers: {
        ...VERSION,
        "Content-Type": "application/offset+octet-stream",
        "Upload-Offset": String(offsetBytes),
      },
      body,
      signal,
      onProgress: (share) => {
        onProgress(Math.min((offsetBytes + share * body.size) / file.size, ALMOST_ALL));
      },
    });
    if (answer.status !== 204) return faultOfUpload(answer);
    upload.offsetBytes = Number(answer.getResponseHeader("Upload-Offset"));
  }
  return undefined;
}

/** The outcome that an answer to an upload's request means. */
function faultOfUpload(answer: XMLHttpRequest): Outcome {
  const { status } = answer;
  if (status === 404 || status === 410) return EXPIRED;
  if (![408, 409, 423].includes(status)) return outcomeOf(answer);
  const fault = "The service is still storing the previous part.";
  return { kind: "later", fault, retryAfterSeconds: SETTLE_SECONDS };
}

/** Deletes the bytes of a discarded file. If that fails, they expire. */
async function discard({ url }: Begun) {
  for (let tries = 0; tries < MOST_DELETIONS; tries++) {
    const signal = AbortSignal.timeout(DELETION_MS);
    const { status } = await exchange({ method: "DELETE", url, headers: VERSION, signal });
    if (status !== 423 && status !== 0) return;
    await new Promise((resolve) => {
      window.setTimeout(resolve, SETTLE_SECONDS * 1000);
    });
  }
}
