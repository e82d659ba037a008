import { createRoute } from "@hono/zod-openapi";
import { mediaPathSchema } from "../../records/media/media.schemas.ts";
import { fieldErrors, notFound, validationFailed } from "../../ground/platform/errors.ts";
import { createRouter, type HttpExchange } from "../../ground/platform/http.ts";
import { responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { refuseBody } from "../uploads/body/json-body.ts";
import { checkIdempotencyKey, queuedMediaResponse, uploadHeadersSchema } from "../uploads/upload.schemas.ts";
import { makeRetry } from "./retry.service.ts";
import { answerVersion, versionRequestOf } from "./version.http.ts";

const retryMedia = createRoute({
  method: "post",
  path: "/media/{mediaId}/retry",
  operationId: "retryMedia",
  tags: ["extension"],
  summary: "Retry one media item that failed",
  description: [
    "Makes a new media item from the stored source of one that ended as `failed` or `quota_exceeded`, with the same settings. The new media item works like any other. It is a version of the same file and takes the place of the failed one in lists of current versions; the failed media item stays as it is. A failed revision is retried as a revision.",
    "The source belongs to the uploaded media item, also for retries of retries, and retention does not delete it while a retry is queued or being processed. The answer is 409 with the reason `not_failed` if the media has not failed, `not_retryable` if the same file would fail again (`retryable` of `include=failure`), and `source_deleted` if the source was deleted. The request has no body.",
    "A retry counts against the quota like an upload: the quota of the failed media item was returned. A source can have up to 50 retries.",
  ].join("\n\n"),
  request: { params: mediaPathSchema, headers: uploadHeadersSchema, query: emptyQuerySchema },
  responses: {
    201: queuedMediaResponse("The retry is queued."),
    ...responsesOf(401, 404, 409, 422, 429, 500, 503),
  },
});

export const retryRoutes = createRouter();

// The handler reports all errors of the request at once, so the route is described here and registered without validators.
retryRoutes.openAPIRegistry.registerPath(retryMedia);

retryRoutes.post(retryMedia.getRoutingPath(), async (c) => {
  const path = mediaPathSchema.safeParse(c.req.param());
  if (!path.success) throw notFound("There is nothing at this address.");
  const { mediaId } = path.data;
  return await answerVersion(c, mediaId, async () => {
    const idempotencyKey = await readRequest(c);
    return await makeRetry({ ...versionRequestOf(c, mediaId), idempotencyKey });
  });
});

/** Reads the idempotency key of a request without a body. @throws VeilError 422 */
async function readRequest(c: HttpExchange): Promise<string | undefined> {
  const key = checkIdempotencyKey(c.req.header("Idempotency-Key"));
  const query = emptyQuerySchema.safeParse(c.req.queries());
  if ("faults" in key || !query.success)
    throw validationFailed({
      ...("faults" in key && { idempotency_key: key.faults }),
      ...(!query.success && fieldErrors(query.error)),
    });
  await refuseBody(c, "A retry has the settings of the failed media item.");
  return key.value;
}
