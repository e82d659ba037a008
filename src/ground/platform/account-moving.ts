import { SECOND_MS } from "./clock.ts";
import { overloaded, type VeilError } from "./errors.ts";

/** What the triggers of `migrations/0011_frozen_accounts.sql` say when an account's data may not be changed here. */
const SIGN = "account_moving";
const RETRY_AFTER_MS = 5 * SECOND_MS;

/** Whether a statement failed because its account is being moved to another database, or has been. */
export function isAccountMoving(error: unknown): boolean {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause.message.includes(SIGN)) return true;
  }
  return false;
}

/** 503: the account is being moved, so nothing was changed. */
export function accountMoving(): VeilError {
  const seconds = RETRY_AFTER_MS / SECOND_MS;
  return overloaded(
    `The account is being moved to another database, so nothing can be changed for a moment. Try again in ${seconds} s.`,
    seconds,
  );
}
