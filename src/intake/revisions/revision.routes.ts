import { createRoute } from "@hono/zod-openapi";
import { mediaPathSchema } from "../../records/media/media.schemas.ts";
import { fieldErrors, notFound, validationFailed } from "../../ground/platform/errors.ts";
import { createRouter, type HttpExchange } from "../../ground/platform/http.ts";
import { responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { checkIdempotencyKey, queuedMediaResponse, uploadHeadersSchema } from "../uploads/upload.schemas.ts";
import { readJsonBody } from "../uploads/body/json-body.ts";
import type { ReviewDecision } from "./revision.repository.ts";
import { checkRevision, revisionSchema, type RevisionOrder } from "./revision.schemas.ts";
import { makeRevision } from "./revision.service.ts";
import { answerVersion, versionRequestOf } from "./version.http.ts";

const reviseMedia = createRoute({
  method: "post",
  path: "/media/{mediaId}/revisions",
  operationId: "reviseMedia",
  tags: ["extension"],
  summary: "Make a revision of one media item",
  description: [
    "Makes a new media item from the stored source of this one. It hides the detections in `redact`, except those in `except`, and the areas in `regions`; detection does not run again. The new media item works like any other and has detections of its own.",
    "The source belongs to the uploaded media item, also for revisions of revisions, and retention does not delete it while a revision is queued or being processed. The answer is 409 with the reason `source_deleted` if the source was deleted, `not_completed` if the media is not completed, and `detections_unknown` if its detections were not stored in full.",
    "A revision does not count against the quota. A source can have up to 50 revisions.",
  ].join("\n\n"),
  request: {
    params: mediaPathSchema,
    headers: uploadHeadersSchema,
    query: emptyQuerySchema,
    body: { required: true, content: { "application/json": { schema: revisionSchema } } },
  },
  responses: {
    201: queuedMediaResponse("The revision is queued."),
    ...responsesOf(401, 404, 409, 422, 429, 500, 503),
  },
});

export const revisionRoutes = createRouter();

// The handler reads the body with a limit, so the route is described here and registered without validators.
revisionRoutes.openAPIRegistry.registerPath(reviseMedia);

revisionRoutes.post(reviseMedia.getRoutingPath(), async (c) => {
  const path = mediaPathSchema.safeParse(c.req.param());
  if (!path.success) throw notFound("There is nothing at this address.");
  return await receiveRevision(c, path.data.mediaId);
});

/**
 * Receives a request for a revision from an authenticated caller and queues it.
 *
 * @param decision the decision, if it ends a review of the media item
 * @throws VeilError 404, 409 or 422, leaving nothing behind
 */
export async function receiveRevision(
  c: HttpExchange,
  mediaId: string,
  decision?: ReviewDecision,
): Promise<Response> {
  return await answerVersion(c, mediaId, async () => {
    const { idempotencyKey, order } = await readRequest(c);
    return await makeRevision({
      ...versionRequestOf(c, mediaId),
      order,
      idempotencyKey,
      ...(decision && { decision }),
    });
  });
}

/** @throws VeilError 422 with all errors of the request */
async function readRequest(
  c: HttpExchange,
): Promise<{ idempotencyKey: string | undefined; order: RevisionOrder }> {
  const key = checkIdempotencyKey(c.req.header("Idempotency-Key"));
  const query = emptyQuerySchema.safeParse(c.req.queries());
  const order = checkRevision(await readJsonBody(c));
  const faults = {
    ...("faults" in order && order.faults),
    ...("faults" in key && { idempotency_key: key.faults }),
    ...(!query.success && fieldErrors(query.error)),
  };
  if ("faults" in order || "faults" in key || !query.success) throw validationFailed(faults);
  return { idempotencyKey: key.value, order: order.value };
}
