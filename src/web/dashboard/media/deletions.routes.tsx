import { Hono } from "hono";
import { z } from "zod";
import {
  deletionCursorOf,
  deletionResponse,
  deletionsCsv,
  positionOf,
  type DeletionsResponse,
} from "../../../records/deletions/deletions.schemas.ts";
import { MOST_DELETIONS, proveDeletions } from "../../../records/deletions/deletions.service.ts";
import { DAY_MS, isoDateTime, nowMs } from "../../../ground/platform/clock.ts";
import { fieldErrors, validationFailed } from "../../../ground/platform/errors.ts";
import { DeletionsPage } from "./deletions.page.tsx";
import { teamOf, viewerOf, type DashboardContext, type DashboardEnv } from "../request/dashboard.http.ts";
import { deletionsQuerySchema, type DeletionsQuery } from "./deletions-query.ts";

/** The deletion record: as a page that can be printed, as JSON and as CSV. */
export const deletionRoutes = new Hono<DashboardEnv>();

deletionRoutes.get("/", async (c) => {
  const query = deletionsQuerySchema.parse(c.req.query());
  const { record, next, emails } = await recordOf(c, query);
  return c.html(
    <DeletionsPage viewer={viewerOf(c)} query={query} record={record} next={next} emails={emails} />,
  );
});

const formatSchema = z.object({
  format: z.enum(["csv", "json"], { error: "The format must be csv or json." }),
});

deletionRoutes.get("/export", async (c) => {
  const asked = formatSchema.safeParse(c.req.query());
  if (!asked.success) throw validationFailed(fieldErrors(asked.error));
  const { record } = await recordOf(c, deletionsQuerySchema.parse(c.req.query()));
  const name = `deletion-record-${record.checked_at.slice(0, 10)}`;
  const { format } = asked.data;
  const text = format === "csv" ? deletionsCsv(record) : `${JSON.stringify(record, undefined, 2)}\n`;
  return c.body(text, 200, {
    "Content-Type": format === "csv" ? "text/csv; charset=utf-8" : "application/json",
    "Content-Disposition": `attachment; filename="${name}.${format}"`,
    "X-Content-Type-Options": "nosniff",
  });
});

async function recordOf(
  c: DashboardContext,
  { id, request, file, from, until, after }: DeletionsQuery,
): Promise<{
  readonly record: DeletionsResponse;
  readonly next: string | undefined;
  readonly emails: ReadonlyMap<string, string>;
}> {
  const { deletions, next } = await proveDeletions(
    c.get("config"),
    {
      accountId: teamOf(c).accountId,
      mediaIds: id === undefined ? undefined : [id],
      requestId: request,
      fileName: file === "" ? undefined : file,
      fromMs: from === undefined ? undefined : Date.parse(from),
      untilMs: until === undefined ? undefined : Date.parse(until) + DAY_MS,
    },
    { after: after === undefined ? undefined : positionOf(after), limit: MOST_DELETIONS },
  );
  const checkedAt = isoDateTime(nowMs());
  const record = { checked_at: checkedAt, data: deletions.map(deletionResponse), links: { next: null } };
  const emails = new Map(
    deletions.flatMap(({ actorId, actorEmail }) =>
      actorEmail === null ? [] : [[actorId, actorEmail] as const],
    ),
  );
  return { record, next: next && deletionCursorOf(next), emails };
}
