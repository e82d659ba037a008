import { Hono } from "hono";
import { openDatabase } from "../../../ground/platform/database.ts";
import { READY_MADE_LISTS, type ReadyMadeList } from "../../../records/masking/ready-made-lists.ts";
import { findReasonList, saveReasonList } from "../../../records/masking/reasons.repository.ts";
import { ReasonsPage } from "./reasons.page.tsx";
import {
  DASHBOARD_PATH,
  deedBy,
  ownersOnly,
  teamOf,
  viewerOf,
  type DashboardEnv,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import { linesOf, readReasons } from "./reasons-form.ts";

const PATH = `${DASHBOARD_PATH}/reasons`;

/** The reasons that the masks of a team may carry. */
export const reasonRoutes = new Hono<DashboardEnv>();

reasonRoutes.get("/", async (c) => {
  const list = await findReasonList(openDatabase(c.get("config").DB, "primary"), teamOf(c).accountId);
  const asked = c.req.query("list") ?? "";
  const ready = isReadyMade(asked) ? READY_MADE_LISTS[asked] : undefined;
  return c.html(
    <ReasonsPage
      viewer={viewerOf(c)}
      list={list}
      entered={ready && { reasons: linesOf(ready.reasons) }}
      notice={
        ready === undefined
          ? noticeOf(c.req.query("notice"))
          : "This list is not saved yet. Saving replaces your team's list."
      }
    />,
  );
});

reasonRoutes.post("/", ownersOnly, async (c) => {
  const entered = Object.fromEntries(
    Object.entries(await c.req.parseBody()).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value]] : [],
    ),
  );
  const read = readReasons(entered);
  const database = openDatabase(c.get("config").DB, "primary");
  if (read.faults !== undefined) {
    const list = await findReasonList(database, teamOf(c).accountId);
    const page = <ReasonsPage viewer={viewerOf(c)} list={list} entered={entered} faults={read.faults} />;
    return c.html(page, 422);
  }
  await saveReasonList(database, read.data, deedBy(c));
  return c.redirect(withNotice(PATH, "reasons_changed"), 303);
});

function isReadyMade(name: string): name is ReadyMadeList {
  return Object.hasOwn(READY_MADE_LISTS, name);
}
