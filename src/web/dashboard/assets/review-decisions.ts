import { faultOf } from "./answered-fault.ts";
import type { Item } from "./review-items.ts";

/** Storing a decision takes a moment, so a request without an answer for this long is lost. */
const TIMEOUT_MS = 30_000;
/** Browsers complete requests of up to 64 KiB even if their page is left (Fetch §4.6). */
const MOST_KEPT_CHARACTERS = 60_000;

/**
 * Sends a decision about a file: its approval, or the changes. Never rejects.
 *
 * @returns the error message, if any
 */
export async function decide(
  item: Item,
  queue: { readonly path: string; readonly csrf: string },
  isSeenInFull: boolean,
): Promise<string | undefined> {
  const address = `${queue.path}/${item.id}`;
  if (item.state?.isChanged !== true)
    return await send(`${address}/approve`, queue, JSON.stringify({ seen_in_full: isSeenInFull }));
  return await send(`${address}/revisions`, queue, JSON.stringify(item.state.revision()));
}

/** Undoes a decision by the same person. Never rejects. */
export async function takeBack(item: Item, queue: { readonly path: string; readonly csrf: string }) {
  return await send(`${queue.path}/${item.id}/undo`, queue, undefined);
}

/** Saves a note about a file. Never rejects. */
export async function note(
  item: Item,
  queue: { readonly path: string; readonly csrf: string },
  text: string,
) {
  return await send(`${queue.path}/${item.id}/notes`, queue, JSON.stringify({ note: text }));
}

/**
 * Returns the file's position in the queue in words, or nothing if the request fails. Never rejects.
 *
 * @param decided how many files this visit has decided on; they count as the beginning of the queue
 */
export async function placeOf({ path }: { readonly path: string }, id: string, decided: number) {
  try {
    const answer = await fetch(`${path}/${id}/place?decided=${decided}`, {
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.status === 404) return "This file was deleted";
    if (!answer.ok) return "";
    return ((await answer.json()) as { text: string }).text;
  } catch {
    return "";
  }
}

async function send(
  address: string,
  { csrf }: { readonly csrf: string },
  json: string | undefined,
): Promise<string | undefined> {
  try {
    const answer = await fetch(address, {
      method: "POST",
      headers: {
        Accept: "application/json",
        "X-CSRF-Token": csrf,
        ...(json !== undefined && { "Content-Type": "application/json" }),
      },
      ...(json !== undefined && { body: json }),
      keepalive: (json ?? "").length <= MOST_KEPT_CHARACTERS,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    if (answer.ok) return undefined;
    const { error } = (await answer.json()) as {
      error?: { message: string; details?: Record<string, unknown> };
    };
    return faultOf(error);
  } catch {
    return "The connection was lost. Check whether the file is still in the queue.";
  }
}
