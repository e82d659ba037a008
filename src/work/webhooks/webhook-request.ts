import type { AttemptOutcome } from "../../records/events/webhooks.table.ts";

/** How many bytes of a response's body are read and stored in the delivery log. */
const KEPT_BODY_BYTES = 4_096;
/** Response headers that are stored in the delivery log. Others may contain private data. */
const KEPT_HEADERS = ["content-type", "content-length", "date", "location", "retry-after", "server"];
const KEPT_HEADER_CHARACTERS = 500;

/** The outcome of one request to an endpoint. */
export interface RequestResult {
  readonly outcome: AttemptOutcome;
  readonly responseStatus: number | null;
  readonly responseHeaders: Record<string, string> | null;
  readonly responseBody: string | null;
  readonly isResponseCut: boolean;
}

/** A result without a response. */
export function withoutAnswer(outcome: AttemptOutcome): RequestResult {
  return {
    outcome,
    responseStatus: null,
    responseHeaders: null,
    responseBody: null,
    isResponseCut: false,
  };
}

/**
 * Posts a signed event and reads the beginning of the response. A 2xx counts as success if, within `timeoutMs`, its body ends
 * or fills the stored part. Redirects are not followed. Never throws.
 */
export async function postWebhook(request: {
  url: string;
  headers: Record<string, string>;
  body: Uint8Array;
  timeoutMs: number;
}): Promise<RequestResult> {
  const controller = new AbortController();
  const timer = setTimeout(() => {
    controller.abort();
  }, request.timeoutMs);
  let answered = withoutAnswer("connection_failed");
  try {
    const response = await fetch(request.url, {
      method: "POST",
      headers: request.headers,
      body: request.body,
      redirect: "manual",
      signal: controller.signal,
    });
    answered = {
      ...answered,
      responseStatus: response.status,
      responseHeaders: keepHeaders(response.headers),
    };
    const { text, isCut } = await beginningOf(response, controller.signal);
    const outcome = response.ok ? "delivered" : "refused_by_status";
    return { ...answered, outcome, responseBody: text, isResponseCut: isCut };
  } catch {
    return { ...answered, outcome: controller.signal.aborted ? "timed_out" : "connection_failed" };
  } finally {
    clearTimeout(timer);
  }
}

/** Reads the first bytes of a body as text and never reads the rest. @throws if the body breaks off or `signal` aborts */
async function beginningOf(
  response: Response,
  signal: AbortSignal,
): Promise<{ text: string; isCut: boolean }> {
  if (response.body === null) return { text: "", isCut: false };
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const stop = (): void => {
    reader.cancel().catch(() => undefined);
  };
  signal.addEventListener("abort", stop);
  const kept = new Uint8Array(KEPT_BODY_BYTES);
  let keptBytes = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (signal.aborted) throw new Error("The body did not end in time.");
      if (done) return { text: asText(kept.subarray(0, keptBytes)), isCut: false };
      const piece = value.subarray(0, KEPT_BODY_BYTES - keptBytes);
      kept.set(piece, keptBytes);
      keptBytes += piece.length;
      if (piece.length < value.length) return { text: asText(kept), isCut: true };
    }
  } finally {
    signal.removeEventListener("abort", stop);
    stop();
  }
}

function asText(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes);
}

function keepHeaders(headers: Headers): Record<string, string> {
  const kept = KEPT_HEADERS.flatMap((name) => {
    const value = headers.get(name);
    return value === null ? [] : [[name, value.slice(0, KEPT_HEADER_CHARACTERS)]];
  });
  return Object.fromEntries(kept) as Record<string, string>;
}
