import { faultOf } from "./answered-fault.ts";

/** Storing a revision takes a moment, so a request without an answer for this long is lost. */
const TIMEOUT_MS = 30_000;

/** Requests a revision. Never rejects. */
export async function requestRevision(
  editor: HTMLElement,
  revision: object,
): Promise<{ mediaId: string; fault?: undefined } | { mediaId?: undefined; fault: string }> {
  try {
    const response = await fetch(editor.dataset["revisions"] ?? "", {
      method: "POST",
      headers: {
        Accept: "application/json",
        "Content-Type": "application/json",
        "X-CSRF-Token": editor.dataset["csrf"] ?? "",
        "Idempotency-Key": await keyOf(revision),
      },
      body: JSON.stringify(revision),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    const answer = (await response.json()) as {
      id?: string;
      error?: { message: string; details?: Record<string, unknown> };
    };
    if (response.status === 201 && answer.id !== undefined) return { mediaId: answer.id };
    return { fault: faultOf(answer.error) };
  } catch {
    return { fault: "The connection was lost. Nothing has been applied; try again." };
  }
}

/** An idempotency key from the revision's content, so that a retry after a lost answer does not create a second revision. */
async function keyOf(revision: object) {
  const bytes = new TextEncoder().encode(JSON.stringify(revision) + window.performance.timeOrigin);
  const digest = await crypto.subtle.digest("SHA-256", bytes);
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
