import { Hono } from "hono";
import { z } from "zod";
import { listActors, listEntries, type TrailFilter } from "../audit/audit-trail.repository.ts";
import { exportTrail } from "../audit/audit-trail.service.ts";
import { AUDIT_KINDS } from "../audit/audit.table.ts";
import { DAY_MS } from "../platform/clock.ts";
import { openDatabase } from "../platform/database.ts";
import { fieldErrors, validationFailed } from "../platform/errors.ts";
import { AuditPage } from "./pages/audit.page.tsx";
import {
  deedBy,
  ownersOnly,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "./request/dashboard.http.ts";

const PAGE_SIZE = 50;

/** Fields of a form that nobody filled in are sent empty. */
function optional<T>(schema: z.ZodType<T>) {
  return z.union([z.literal("").transform(() => undefined), schema]).optional();
}

function date(name: string) {
  return optional(z.iso.date({ error: `${name} is not a date; expected one like 2026-11-23.` }));
}

const querySchema = z.object({
  from: date("From"),
  until: date("Until"),
  kind: optional(z.enum(AUDIT_KINDS, { error: "The action is unknown." })),
  actor: optional(z.string().max(100, "The actor is too long to be an ID.")),
  before: optional(z.string().regex(/^aud_[0-9a-f-]{1,36}$/, "The page starts at an unknown entry.")),
});

type TrailQuery = z.output<typeof querySchema>;

/** What was done in the team, by whom and when: for its owners. */
export const auditRoutes = new Hono<DashboardEnv>();

auditRoutes.use(ownersOnly);

auditRoutes.get("/", async (c) => {
  const query = queryOf(c);
  const database = openDatabase(c.get("config").DB, "primary");
  const [entries, actors] = await Promise.all([
    listEntries(database, filterOf(c, query), { beforeId: query.before, limit: PAGE_SIZE + 1 }),
    listActors(database, teamOf(c).accountId),
  ]);
  return c.html(
    <AuditPage
      viewer={viewerOf(c)}
      query={query}
      actors={actors}
      entries={entries.slice(0, PAGE_SIZE)}
      hasMore={entries.length > PAGE_SIZE}
    />,
  );
});

auditRoutes.get("/export", async (c) => {
  const stream = await exportTrail(
    openDatabase(c.get("config").DB, "primary"),
    filterOf(c, queryOf(c)),
    deedBy(c),
  );
  return c.body(stream, 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": 'attachment; filename="audit-trail.csv"',
    "X-Content-Type-Options": "nosniff",
  });
});

/** @throws VeilError 422 naming what is wrong */
function queryOf(c: DashboardContext): TrailQuery {
  const query = querySchema.safeParse(c.req.query());
  if (!query.success) throw validationFailed(fieldErrors(query.error));
  return query.data;
}

function filterOf(c: DashboardContext, { from, until, kind, actor }: TrailQuery): TrailFilter {
  return {
    accountId: teamOf(c).accountId,
    kind,
    actorId: actor,
    fromMs: from === undefined ? undefined : Date.parse(from),
    untilMs: until === undefined ? undefined : Date.parse(until) + DAY_MS,
  };
}
