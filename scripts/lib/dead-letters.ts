import { requestRedrive } from "../../src/records/dead-letters/dead-letters.repository.ts";
import {
  listDeadLetters,
  type DeadLetterListing,
} from "../../src/work/maintenance/dead-letter-list.repository.ts";
import type { DatabaseTarget } from "./database.ts";
import { outsideDatabase } from "./outside-connection.ts";

const SHOWN_LETTERS = 1_000;

/** Messages that were given up, newest first, with the state that their media is in now. */
export async function showDeadLetters(target: DatabaseTarget): Promise<DeadLetterListing[]> {
  return await listDeadLetters(outsideDatabase(target), SHOWN_LETTERS);
}

/**
 * Asks for a dead letter to be sent to its queue by the next sweep. Throws when there is no such message.
 *
 * @param messageId its message id, or `all` for all that were not sent again yet
 * @returns how many will be sent
 */
export async function redriveDeadLetters(target: DatabaseTarget, messageId: string): Promise<number> {
  const asked = await requestRedrive(outsideDatabase(target), messageId, Date.now());
  if (messageId !== "all" && asked.length === 0) throw new Error(`There is no dead letter ${messageId}.`);
  return asked.length;
}
