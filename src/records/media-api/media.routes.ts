import { createRoute, type z } from "@hono/zod-openapi";
import type { KeyFinder } from "../accounts/authentication.ts";
import { callerOf, deedOf } from "../accounts/caller.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import {
  API_BASE_PATH,
  createRouter,
  noteInLog,
  originOf,
  type HttpContext,
  type HttpExchange,
} from "../../ground/platform/http.ts";
import { COMMON_HEADERS, responsesOf } from "../../ground/platform/openapi.ts";
import { emptyQuerySchema } from "../../ground/platform/unknown-names.ts";
import { downloadHeadersSchema, downloadResponses } from "../media/download.schemas.ts";
import type { MediaOwnership } from "../media/media.repository.ts";
import {
  includedCollectionSchema,
  includedMediaSchema,
  includedResponse,
  successorOf,
} from "./media-included.schemas.ts";
import { findFirstId, listMedia } from "../media/media-list.repository.ts";
import { cursorOf, mediaItemQuerySchema, mediaQuerySchema, type MediaQuery } from "./media-query.schemas.ts";
import { findRequests } from "./included-request.ts";
import { mediaPathSchema } from "../media/media.schemas.ts";
import { findDownload, outputToSave, pollKeyFinder, pollMedia, removeMedia } from "../media/media.service.ts";
import { sendAudited } from "../media/download-audit.ts";
import { TAG_PARAMETERS, answerTagged, taggedResponses } from "./tagged-answer.ts";
import { waitForEnd } from "./wait-for-end.ts";

const TAGS = ["Media"];

const list = createRoute({
  method: "get",
  path: "/media",
  operationId: "listMedia",
  tags: TAGS,
  summary: "List media",
  description: [
    "The account's media, newest first. A page past the end is empty: its `pagination.page` is greater than `pagination.total_pages`, and `links.previous` is the last page.",
    "Extension: filter with `external_id`, `folder` and `current`, page through long lists with `cursor`, and add fields to each media item with `include`.",
  ].join("\n\n"),
  parameters: TAG_PARAMETERS,
  request: { query: mediaQuerySchema },
  responses: {
    ...taggedResponses(includedCollectionSchema, "A page of media."),
    ...responsesOf(401, 422, 429, 500),
  },
});

const get = createRoute({
  method: "get",
  path: "/media/{mediaId}",
  operationId: "getMedia",
  tags: TAGS,
  summary: "Get one media item",
  description: "Status and details of one media item. Poll it until `status` is final.",
  parameters: TAG_PARAMETERS,
  request: { params: mediaPathSchema, query: mediaItemQuerySchema },
  responses: {
    ...taggedResponses(includedMediaSchema, "The media item."),
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

const remove = createRoute({
  method: "delete",
  path: "/media/{mediaId}",
  operationId: "deleteMedia",
  tags: TAGS,
  summary: "Delete one media item",
  description: "Deletes the media item and all its files. A running job stops and leaves nothing behind.",
  request: { params: mediaPathSchema, query: emptyQuerySchema },
  responses: {
    204: { description: "The media item is deleted.", headers: COMMON_HEADERS },
    ...responsesOf(401, 404, 422, 429, 500),
  },
});

const download = createRoute({
  method: "get",
  path: "/media/{mediaId}/download",
  operationId: "downloadMedia",
  tags: TAGS,
  summary: "Download the redacted file",
  description: [
    "The redacted file. 404 until the media is completed.",
    "Extension: `Range` requests are supported, so players can seek and interrupted downloads can continue. Several ranges are answered as `multipart/byteranges`. If `Range` is malformed, its ranges overlap, or there are more than 16, the answer is the whole file.",
  ].join("\n\n"),
  request: { params: mediaPathSchema, query: emptyQuerySchema, headers: downloadHeadersSchema },
  responses: { ...downloadResponses, ...responsesOf(401, 404, 412, 416, 422, 429, 500) },
});

const POLL_PATH = new RegExp(`^${API_BASE_PATH}/media/([^/]+)$`);

/** The key finder of a poll, which reads the key together with the media item; undefined for other requests. */
export function mediaKeyFinder(c: HttpContext): KeyFinder | undefined {
  const isRead = c.req.method === "GET" || c.req.method === "HEAD";
  const mediaId = isRead ? POLL_PATH.exec(c.req.path)?.[1] : undefined;
  return mediaId === undefined ? undefined : pollKeyFinder(c.req.raw, mediaId);
}

export const mediaRoutes = createRouter();

mediaRoutes.openapi(list, async (c) => {
  const query = c.req.valid("query");
  const { page = 1, per_page: perPage, cursor, current } = query;
  const filter = {
    accountId: callerOf(c).accountId,
    status: query.status,
    mediaType: query.media_type,
    externalId: query.external_id,
    folder: query.folder,
    isCurrent: current === undefined ? undefined : current === "true",
  };
  const isByCursor = cursor !== undefined;
  const database = openDatabase(c.get("config").DB, "primary");
  const { listed, total } = await listMedia(
    database,
    filter,
    isByCursor
      ? { limit: perPage + 1, after: cursor ?? undefined }
      : { limit: perPage, offset: (page - 1) * perPage },
  );
  const origin = originOf(c);
  const { include: included } = query;
  const requests = included.has("request")
    ? await findRequests(database, { accountId: filter.accountId, listed, isList: true })
    : undefined;
  const totalPages = Math.ceil(total / perPage);
  const shown = listed.slice(0, perPage);
  const last = listed.length > perPage ? shown.at(-1) : undefined;
  const next = isByCursor
    ? last && { cursor: cursorOf(last.row) }
    : page < totalPages
      ? { page: page + 1 }
      : undefined;
  // For a page past the end, the previous page is the last one that has media.
  const previousPage = Math.min(page - 1, Math.max(1, totalPages));
  return await answerTagged(c, {
    data: shown.map((one) => includedResponse(one, { origin, included, requests })),
    pagination: { page, per_page: perPage, total, total_pages: totalPages },
    links: {
      next: next === undefined ? null : pageUrl(origin, query, next),
      previous: !isByCursor && page > 1 ? pageUrl(origin, query, { page: previousPage }) : null,
    },
  } satisfies z.output<typeof includedCollectionSchema>);
});

mediaRoutes.openapi(get, async (c) => {
  const owned = ownedBy(c, c.req.valid("param"));
  const { include: included, wait: waitSeconds } = c.req.valid("query");
  const config = c.get("config");
  const polled = await pollMedia(config, c.req.raw, owned);
  const row = waitSeconds === undefined ? polled : await waitForEnd(c, owned, { polled, waitSeconds });
  const firstId = included.has("versions")
    ? await findFirstId(openDatabase(config.DB, "any"), owned)
    : row.id;
  const listed = { row, firstId };
  const requests = included.has("request")
    ? await findRequests(openDatabase(config.DB, "primary"), {
        accountId: owned.accountId,
        listed: [listed],
        isList: false,
      })
    : undefined;
  return await answerTagged(c, includedResponse(listed, { origin: originOf(c), included, requests }));
});

mediaRoutes.openapi(remove, async (c) => {
  const owned = ownedBy(c, c.req.valid("param"));
  await removeMedia(c.get("config"), owned.mediaId, deedOf(callerOf(c), c.get("requestId")));
  return c.body(null, 204);
});

mediaRoutes.openapi(download, async (c) => {
  const config = c.get("config");
  const row = await findDownload(config, ownedBy(c, c.req.valid("param")));
  const successor = successorOf(row);
  if (successor !== undefined)
    c.header("Link", `<${originOf(c)}${API_BASE_PATH}/media/${successor}>; rel="successor-version"`);
  return await sendAudited(c, outputToSave(config, row), { kind: "media.downloaded", mediaId: row.id });
});

/** The media item that the path names, with the caller's account. */
function ownedBy(c: HttpExchange, { mediaId }: { mediaId: string }): MediaOwnership {
  noteInLog(c, { mediaId });
  return { accountId: callerOf(c).accountId, mediaId };
}

function pageUrl(origin: string, query: MediaQuery, at: { page: number } | { cursor: string }): string {
  const parameters = new URLSearchParams();
  for (const name of ["status", "media_type", "external_id", "folder", "current"] as const) {
    const value = query[name];
    if (value !== undefined) parameters.set(name, value);
  }
  if (query.include.size > 0) parameters.set("include", [...query.include].join(","));
  for (const [name, value] of Object.entries(at)) parameters.set(name, String(value));
  parameters.set("per_page", String(query.per_page));
  return `${origin}${API_BASE_PATH}/media?${parameters.toString()}`;
}
