import { Hono } from "hono";
import { z } from "zod";
import { listActors } from "../../../records/audit-trail/audit-trail.repository.ts";
import {
  exportTrail,
  readTrail,
  type TrailQuestion,
} from "../../../records/audit-trail/audit-trail.service.ts";
import { AUDIT_KINDS } from "../../../records/audit/audit.table.ts";
import { findNameRules, saveNameRules } from "../../../records/audit/name-rules.repository.ts";
import { DAY_MS } from "../../../ground/platform/clock.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { fieldErrors, validationFailed } from "../../../ground/platform/errors.ts";
import { AuditPage } from "./audit.page.tsx";
import {
  DASHBOARD_PATH,
  deedBy,
  formOf,
  ownersOnly,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
  type FormFaults,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";

const PAGE_SIZE = 50;

/** Browsers send empty fields as empty strings. */
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
  file: optional(z.string().max(255, "The file name is longer than 255 characters.")),
  actor: optional(z.string().max(100, "The actor is too long to be an ID.")),
  before: optional(z.string().regex(/^aud_[0-9a-f-]{1,36}$/, "The page starts at an unknown entry.")),
});

const MOST_NAME_DAYS = 365;

const namesForm = z.object({
  keepsNames: z.literal("on").optional(),
  nameDays: z.coerce
    .number({ error: "The number of days is missing." })
    .int("The number of days must be a whole one.")
    .min(1, "The number of days must be at least 1.")
    .max(MOST_NAME_DAYS, `The number of days must be at most ${MOST_NAME_DAYS}.`),
});

type TrailQuery = z.output<typeof querySchema>;

/** The team's audit trail, for its owners. */
export const auditRoutes = new Hono<DashboardEnv>();

auditRoutes.use(ownersOnly);

auditRoutes.get("/", async (c) => await answerWithPage(c, queryOf(c)));

auditRoutes.post("/names", async (c) => {
  const form = await formOf(c, namesForm);
  if (form.faults !== undefined) return await answerWithPage(c, {}, form.faults);
  const { keepsNames, nameDays } = form.data;
  const rules = { keepsNames: keepsNames === "on", nameDays };
  await saveNameRules(openDatabase(c.get("config").DB, "primary"), rules, deedBy(c));
  return c.redirect(withNotice(`${DASHBOARD_PATH}/audit`, "name_rules_changed"), 303);
});

async function answerWithPage(
  c: DashboardContext,
  query: TrailQuery,
  faults?: FormFaults,
): Promise<Response> {
  const database = openDatabase(c.get("config").DB, "primary");
  const { accountId } = teamOf(c);
  const [entries, actors, nameRules] = await Promise.all([
    readTrail(database, questionOf(c, query), { beforeId: query.before, limit: PAGE_SIZE + 1 }),
    listActors(openDatabase(c.get("config").MAIN_DB, "primary"), accountId),
    findNameRules(database, accountId),
  ]);
  return c.html(
    <AuditPage
      viewer={viewerOf(c)}
      query={query}
      actors={actors}
      entries={entries.slice(0, PAGE_SIZE)}
      hasMore={entries.length > PAGE_SIZE}
      nameRules={nameRules}
      faults={faults}
      notice={noticeOf(c.req.query("notice"))}
    />,
    faults === undefined ? 200 : 422,
  );
}

auditRoutes.get("/export", async (c) => {
  const stream = await exportTrail(
    openDatabase(c.get("config").DB, "primary"),
    questionOf(c, queryOf(c)),
    deedBy(c),
  );
  return c.body(stream, 200, {
    "Content-Type": "text/csv; charset=utf-8",
    "Content-Disposition": 'attachment; filename="audit-trail.csv"',
    "X-Content-Type-Options": "nosniff",
  });
});

/** @throws VeilError 422 with the invalid parameters */
function queryOf(c: DashboardContext): TrailQuery {
  const query = querySchema.safeParse(c.req.query());
  if (!query.success) throw validationFailed(fieldErrors(query.error));
  return query.data;
}

function questionOf(c: DashboardContext, { from, until, kind, file, actor }: TrailQuery): TrailQuestion {
  return {
    accountId: teamOf(c).accountId,
    kind,
    actorId: actor,
    fileName: file,
    fromMs: from === undefined ? undefined : Date.parse(from),
    untilMs: until === undefined ? undefined : Date.parse(until) + DAY_MS,
  };
}
