import { requestRedrive } from "../../src/records/dead-letters/dead-letters.repository.ts";
import {
  listDeadLetters,
  type DeadLetterListing,
} from "../../src/work/maintenance/dead-letter-list.repository.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";

const SHOWN_LETTERS = 1_000;

/** Dead letters, newest first, with the current state of their media items. */
export async function showDeadLetters(target: DatabaseTarget): Promise<DeadLetterListing[]> {
  return await listDeadLetters(outsideDatabase(target), SHOWN_LETTERS);
}

/**
 * Requests that the next sweep resends a dead letter to its queue. Throws if there is no such message.
 *
 * @param messageId its message ID, or `all` for all that have not been resent yet
 * @returns how many will be sent
 */
export async function redriveDeadLetters(target: DatabaseTarget, messageId: string): Promise<number> {
  const asked = await requestRedrive(outsideDatabase(target), messageId, Date.now());
  if (messageId !== "all" && asked.length === 0) throw new Error(`There is no dead letter ${messageId}.`);
  return asked.length;
}
