import { callerOf } from "../../records/accounts/caller.ts";
import { noteInLog, originOf, type HttpExchange } from "../../ground/platform/http.ts";
import type { VersionAnswer, VersionRequest } from "./version.service.ts";

/** The common fields of all requests for a new version of a media item. */
export function versionRequestOf(c: HttpExchange, mediaId: string): Omit<VersionRequest, "idempotencyKey"> {
  const caller = callerOf(c);
  return {
    config: c.get("config"),
    caller,
    owned: { accountId: caller.accountId, mediaId },
    origin: originOf(c),
    requestId: c.get("requestId"),
  };
}

/** Responds to a request with the version that it creates. @throws VeilError, leaving nothing behind */
export async function answerVersion(
  c: HttpExchange,
  mediaId: string,
  make: () => Promise<VersionAnswer>,
): Promise<Response> {
  noteInLog(c, { mediaId });
  const work = make();
  // The cleanup must finish even if the client disconnects.
  c.executionCtx.waitUntil(work.catch(() => undefined));
  const answer = await work;
  if (answer.isReplay) c.header("Idempotency-Replayed", "true");
  c.header("Content-Type", "application/json");
  noteInLog(c, { versionId: answer.isReplay ? null : answer.mediaId, isReplay: answer.isReplay });
  return c.body(answer.body, 201);
}
