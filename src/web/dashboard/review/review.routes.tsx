import { Hono } from "hono";
import { z } from "zod";
import { callerOf } from "../../../records/accounts/caller.ts";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { fieldErrors, validationFailed } from "../../../ground/platform/errors.ts";
import { originOf } from "../../../ground/platform/http.ts";
import { saveReviewRules } from "../../../records/review/review-rules.repository.ts";
import { notInQueue } from "../../../records/review/review-queue.errors.ts";
import { findReview, type Place } from "../../../records/review/review-queue.repository.ts";
import { addNote, approve, undo } from "../../../intake/revisions/review-queue.service.ts";
import { readJsonBody } from "../../../intake/uploads/body/json-body.ts";
import { receiveRevision } from "../../../intake/revisions/revision.routes.ts";
import { findNeighbor, readItem, readPlace, readQueue } from "./review.data.ts";
import { shownNumber } from "../parts/format.tsx";
import { placeText } from "./review-place.ts";
import { MOST_NOTE_CHARACTERS, ReviewItemPage } from "./review-item.page.tsx";
import { ReviewPage } from "./review.page.tsx";
import {
  DASHBOARD_PATH,
  deedBy,
  ownersOnly,
  parameterOf,
  teamOf,
  textField,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import { readRules } from "./review-form.ts";

const PATH = `${DASHBOARD_PATH}/review`;

/** The review queue and the rules that fill it. */
export const reviewRoutes = new Hono<DashboardEnv>();

reviewRoutes.get("/", async (c) => {
  const data = await readQueue(c.get("config"), teamOf(c).accountId, viewerOf(c).userId);
  return c.html(<ReviewPage viewer={viewerOf(c)} data={data} notice={queueNotice(c, data.counts.waiting)} />);
});

const sentSchema = z.object({ sent: z.coerce.number().int().min(0), unsent: z.coerce.number().int().min(0) });

/** The queue page's notice after files were sent to it or reviewed. */
function queueNotice(c: DashboardContext, waiting: number): string | undefined {
  const sending = sentSchema.safeParse(c.req.query());
  if (sending.success) {
    const { sent, unsent } = sending.data;
    const files = sent === 1 ? "1 file" : `${shownNumber(sent)} files`;
    return `${files} sent to review.${unsent === 0 ? "" : ` ${shownNumber(unsent)} not sent: no result yet.`}`;
  }
  const notice = noticeOf(c.req.query("notice"));
  const isEnd = c.req.query("notice") === "review_end" && waiting > 0;
  return isEnd ? `${notice} ${shownNumber(waiting)} still to review.` : notice;
}

reviewRoutes.post("/rules", ownersOnly, async (c) => {
  const body = await c.req.parseBody();
  const entered = Object.fromEntries(
    Object.entries(body).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : [])),
  );
  const rules = readRules(entered);
  const config = c.get("config");
  if (rules.faults !== undefined) {
    const data = await readQueue(config, teamOf(c).accountId, viewerOf(c).userId);
    return c.html(
      <ReviewPage viewer={viewerOf(c)} data={data} faults={rules.faults} entered={entered} />,
      422,
    );
  }
  await saveReviewRules(openDatabase(config.DB, "primary"), rules.data, deedBy(c));
  return c.redirect(withNotice(PATH, "review_rules_changed"), 303);
});

/** Redirects to the first file of the queue, or to the next or previous one of another. */
reviewRoutes.get("/next", async (c) => {
  const { accountId } = teamOf(c);
  const [after, before] = await Promise.all([placeOf(c, "after"), placeOf(c, "before")]);
  const next = await findNeighbor(c.get("config"), accountId, {
    ...(after && { after }),
    ...(before && { before }),
  });
  return c.redirect(next === undefined ? withNotice(PATH, "review_end") : `${PATH}/${next.row.id}`, 303);
});

/** How many files this visit has decided on. */
const visitSchema = z.object({ decided: z.coerce.number().int().min(0).max(10_000).catch(0) });

/** The current position of a file in the queue, in words. It changes while other people decide and files are added. */
reviewRoutes.get("/:mediaId/place", async (c) => {
  const config = c.get("config");
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  const reviewed = await findReview(openDatabase(config.DB, "primary"), owned);
  if (reviewed === undefined) throw notInQueue();
  const place = await readPlace(config, owned.accountId, reviewed);
  const { decided } = visitSchema.parse(c.req.query());
  return c.json({ text: placeText(place, decided) });
});

reviewRoutes.get("/:mediaId", async (c) => {
  const config = c.get("config");
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  const reviewed = await findReview(openDatabase(config.DB, "primary"), owned);
  if (reviewed === undefined) throw notInQueue();
  const item = await readItem(config, owned.accountId, reviewed);
  return c.html(<ReviewItemPage viewer={viewerOf(c)} item={item} />);
});

reviewRoutes.post("/:mediaId/approve", rateLimit(), async (c) => {
  const mediaId = parameterOf(c, "mediaId");
  const isSeenInFull = await reportedSight(c);
  const note = await noteOfForm(c);
  if (note !== undefined) await addNote(decisionOf(c, mediaId), note);
  const { revisionId } = await approve({ ...decisionOf(c, mediaId), isSeenInFull });
  if (wantsJson(c)) return c.json({ revision_id: revisionId ?? null });
  return c.redirect(`${PATH}/next?after=${mediaId}`, 303);
});

reviewRoutes.post("/:mediaId/notes", rateLimit(), async (c) => {
  const mediaId = parameterOf(c, "mediaId");
  const owned = { accountId: teamOf(c).accountId, mediaId };
  if ((await findReview(openDatabase(c.get("config").DB, "primary"), owned)) === undefined)
    throw notInQueue();
  const read = noteSchema.safeParse(isJson(c) ? await readJsonBody(c) : await c.req.parseBody());
  if (!read.success) throw validationFailed(fieldErrors(read.error));
  await addNote(decisionOf(c, mediaId), read.data.note);
  return wantsJson(c) ? c.json({}) : c.redirect(`${PATH}/${mediaId}`, 303);
});

reviewRoutes.post(
  "/:mediaId/revisions",
  rateLimit(),
  async (c) => await receiveRevision(c, parameterOf(c, "mediaId"), "corrected"),
);

reviewRoutes.post("/:mediaId/undo", async (c) => {
  const mediaId = parameterOf(c, "mediaId");
  await undo(decisionOf(c, mediaId));
  return wantsJson(c) ? c.json({}) : c.redirect(`${PATH}/${mediaId}`, 303);
});

function decisionOf(c: DashboardContext, mediaId: string) {
  return {
    config: c.get("config"),
    caller: callerOf(c),
    mediaId,
    origin: originOf(c),
    requestId: c.get("requestId"),
  };
}

const noteSchema = z.object({ note: textField("The note", MOST_NOTE_CHARACTERS) });

/** The note that a form without scripts sends along with a decision; undefined if it has none. @throws VeilError 422 */
async function noteOfForm(c: DashboardContext): Promise<string | undefined> {
  if (isJson(c)) return undefined;
  const { note } = await c.req.parseBody();
  if (typeof note !== "string" || note.trim() === "") return undefined;
  const read = noteSchema.safeParse({ note });
  if (!read.success) throw validationFailed(fieldErrors(read.error));
  return read.data.note;
}

const sightSchema = z.strictObject({ seen_in_full: z.boolean() });

/** Whether the reviewer saw the whole file, as the page's script reports; undefined from a form. @throws VeilError 422 */
async function reportedSight(c: DashboardContext): Promise<boolean | undefined> {
  if (!isJson(c)) return undefined;
  const sight = sightSchema.safeParse(await readJsonBody(c));
  if (!sight.success) throw validationFailed(fieldErrors(sight.error));
  return sight.data.seen_in_full;
}

function isJson(c: DashboardContext): boolean {
  return c.req.header("Content-Type")?.startsWith("application/json") === true;
}

function wantsJson(c: DashboardContext): boolean {
  return c.req.header("Accept")?.includes("application/json") === true;
}

/** The queue position of the file that a query names; undefined if it names none or the file is deleted. */
async function placeOf(c: DashboardContext, name: string): Promise<Place | undefined> {
  const mediaId = c.req.query(name);
  if (mediaId === undefined) return undefined;
  const owned = { accountId: teamOf(c).accountId, mediaId };
  return (await findReview(openDatabase(c.get("config").DB, "primary"), owned))?.review;
}
