import { callerOf, deedOf } from "../accounts/caller.ts";
import { insertOnce, type Deed } from "../audit/audit.repository.ts";
import type { AuditKind } from "../audit/audit.table.ts";
import { HOUR_MS } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { HttpExchange } from "../../ground/platform/http.ts";
import { STORAGE_RETRY, withRetry } from "../../ground/platform/retry.ts";
import { answerWithFile, type StoredFile } from "./stored-file.ts";

/** Players request many parts of a file. One caller's requests for it count once per hour. */
const WINDOW_MS = HOUR_MS;
/** How many recent entries this isolate remembers, so that further parts of a file cost no write. */
const MOST_REMEMBERED = 1_000;
const written = new Set<string>();

/** Which file of a media item is sent, as the audit trail names it. */
interface RecordedDownload {
  readonly kind: Extract<AuditKind, "media.downloaded" | "media.result_viewed" | "media.original_viewed">;
  readonly mediaId: string;
}

/**
 * Responds with a file or parts of it, and records in the audit trail who received it. The entry is written before the first
 * byte is sent, so no file is sent without one. HEAD, 304 and error responses send no file.
 *
 * @throws VeilError as `answerWithFile`
 */
export async function sendAudited(
  c: HttpExchange,
  file: StoredFile,
  { kind, mediaId }: RecordedDownload,
): Promise<Response> {
  const answer = await answerWithFile(c, file);
  if (c.req.method === "HEAD" || answer.body === null) return answer;
  const deed = deedOf(callerOf(c), c.get("requestId"));
  const onceKey = downloadKeyOf(deed, { kind, mediaId });
  if (written.has(onceKey)) return answer;
  try {
    await writeDown(c, deed, { kind, mediaId, onceKey });
  } catch (error) {
    await answer.body.cancel();
    throw error;
  }
  return answer;
}

/** One caller's downloads of one file within one time window. */
export function downloadKeyOf({ actor, nowMs }: Deed, { kind, mediaId }: RecordedDownload): string {
  return [kind, actor.id, mediaId, Math.floor(nowMs / WINDOW_MS)].join(" ");
}

async function writeDown(
  c: HttpExchange,
  deed: Deed,
  { kind, mediaId, onceKey }: RecordedDownload & { readonly onceKey: string },
): Promise<void> {
  const database = openDatabase(c.get("config").DB, "primary");
  await withRetry(STORAGE_RETRY, async () => {
    await insertOnce(database, deed, [{ done: { kind, subjectId: mediaId }, onceKey }]);
  });
  const [oldest] = written;
  if (written.size >= MOST_REMEMBERED && oldest !== undefined) written.delete(oldest);
  written.add(onceKey);
}
