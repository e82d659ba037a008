import { Hono } from "hono";
import { z } from "zod";
import { rateLimit } from "../../../intake/limits/rate-limit.middleware.ts";
import { contentDisposition } from "../../../records/media/download-name.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { fieldErrors, validationFailed } from "../../../ground/platform/errors.ts";
import { reportCsv } from "../../../records/report/report-csv.ts";
import { signReport } from "../../../records/report/report-keys.service.ts";
import { describeReport, findReported, type ReportSubject } from "../../../records/report/report.service.ts";
import { membersOf } from "../../../records/accounts/teams.repository.ts";
import { ReportPage } from "./report.page.tsx";
import {
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
} from "../request/dashboard.http.ts";

/** The report of a file: as a page that can be printed, signed, and as CSV. */
export const reportRoutes = new Hono<DashboardEnv>();

reportRoutes.get("/:mediaId/report", async (c) => {
  const config = c.get("config");
  const subject = await subjectOf(c);
  const [report, members] = await Promise.all([
    describeReport(config, subject),
    membersOf(openDatabase(config.MAIN_DB, "any"), teamOf(c).accountId),
  ]);
  const names = new Map(members.map(({ userId, name }) => [userId, name]));
  return c.html(<ReportPage viewer={viewerOf(c)} report={report} names={names} />);
});

const formatSchema = z.object({
  format: z.enum(["jws", "csv"], { error: "The format must be jws or csv." }),
});

reportRoutes.get("/:mediaId/report/export", rateLimit(), async (c) => {
  const config = c.get("config");
  const subject = await subjectOf(c);
  const asked = formatSchema.safeParse(c.req.query());
  if (!asked.success) throw validationFailed(fieldErrors(asked.error));
  const { format } = asked.data;
  const { row } = subject.inspected;
  c.header("Content-Disposition", contentDisposition(`${row.filename}.report.${format}`));
  c.header("X-Content-Type-Options", "nosniff");
  if (format === "csv")
    return c.body(reportCsv(config.MEDIA, subject), 200, { "Content-Type": "text/csv; charset=utf-8" });
  const payload = JSON.stringify(await describeReport(config, subject));
  return c.body(await signReport(config, payload), 200, { "Content-Type": "application/jose" });
});

async function subjectOf(c: DashboardContext): Promise<ReportSubject> {
  const owned = { accountId: teamOf(c).accountId, mediaId: parameterOf(c, "mediaId") };
  return await findReported(openDatabase(c.get("config").DB, "primary"), owned);
}
