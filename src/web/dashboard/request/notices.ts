import { z } from "zod";

/** The notices that a page may show after a redirect, by the key in the address. Text from an address is never shown. */
const NOTICES = {
  signed_out: "You are signed out.",
  password_changed: "Your password was changed. All other browsers were signed out.",
  verified: "The address is confirmed. Sign in.",
  provider_failed: "The provider did not sign you in, or this service does not accept the address.",
  cookie_refused:
    "The browser did not keep the session: some browsers refuse secure cookies over plain http. Use Chrome, Edge or Firefox here, or https.",
  key_revoked: "The key is revoked. Requests with it are refused from now on.",
  media_deleted: "The file and all its versions were deleted.",
  selection_deleted: "The selected files and all their versions were deleted.",
  batch_partly_deleted: "Some files of this upload were deleted. Delete the others the same way.",
  selection_empty: "Nothing was selected.",
  invitation_revoked: "The invitation is revoked; its link no longer works.",
  member_removed: "The member was removed.",
  role_changed: "The role was changed.",
  team_renamed: "The team has a new name.",
  verification_changed: "The second reading was set. It applies to uploads from now on.",
  joined: "Welcome to the team.",
  endpoint_changed: "The endpoint was updated.",
  endpoint_deleted: "The endpoint and its delivery log are deleted.",
  review_rules_changed: "The rules were changed. They apply to files that complete from now on.",
  reasons_changed: "The reasons were saved. They apply to files that are redacted from now on.",
  name_rules_changed:
    "The setting for file names was changed. It applies to deletions from now on. Names that are already stored are removed according to the new setting.",
  version_restored: "The older version was restored as a new version.",
  review_end: "You reached the end of the queue.",
  redrive_requested: "It will be sent again by the next sweep, within a minute.",
  sessions_ended: "The browser is signed out.",
  second_factor_on: "The second factor is on. You will be asked for a code when you sign in.",
  second_factor_off: "The second factor is off.",
} as const;

export type NoticeKey = keyof typeof NOTICES;

/** The notice with this key, if there is one. */
export function noticeOf(key: string | undefined): string | undefined {
  return key !== undefined && Object.hasOwn(NOTICES, key) ? NOTICES[key as NoticeKey] : undefined;
}

/** The notices after files were deleted. */
export function deletionNotice({ files, versions }: { files: number; versions: number }): string {
  if (files === 1) return "1 file and all its versions were deleted.";
  const counted = versions === files ? "" : ` (${versions} in all)`;
  return `${files} files and all their versions${counted} were deleted.`;
}

const retriedSchema = z.object({
  retried: z.coerce.number().int().min(0),
  unretried: z.coerce.number().int().min(0),
});

/** The notice after files were retried, if an address asks for it. */
export function retryNotice(query: Readonly<Record<string, string>>): string | undefined {
  const counts = retriedSchema.safeParse(query);
  if (!counts.success) return undefined;
  const { retried, unretried } = counts.data;
  const done = retried === 1 ? "1 file is being retried." : `${retried} files are being retried.`;
  if (unretried === 0) return done;
  const kept = unretried === 1 ? "1 file is not" : `${unretried} files are not`;
  return `${done} ${kept}: only files that failed, may succeed with another try, and whose originals are kept can be retried, within the quota.`;
}

/** An address of the dashboard that says how many files were retried. */
export function withRetryNotice(
  path: string,
  { retried, unretried }: { retried: number; unretried: number },
): string {
  return `${path}?retried=${retried}&unretried=${unretried}`;
}

/** An address of the dashboard that shows a notice. */
export function withNotice(path: string, key: NoticeKey): string {
  return `${path}?notice=${key}`;
}

/** An address of the dashboard that shows a notice of a deletion, with where its record is. */
export function withDeletionNotice(path: string, key: NoticeKey, requestId: string): string {
  return `${withNotice(path, key)}&record=${requestId}`;
}
