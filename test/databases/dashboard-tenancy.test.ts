import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  WALKED,
  createAttackedTeam,
  expectNothingShown,
  expectSignIn,
  type AttackedTeam,
} from "../support/dashboard-walk.ts";
import { beginInSecond, move, placeOf } from "../support/moves.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";

/** What the team left in the main database when it moved is still there: that is what a wrong query would show. */
let moved: AttackedTeam;
let stayed: AttackedTeam;
let inMain: TestTeam;
let inSecond: TestTeam;

beforeAll(async () => {
  const mails = catchMails();
  [moved, stayed] = [await createAttackedTeam(mails), await createAttackedTeam(mails)];
  [inMain, inSecond] = [await createTeam(mails), await createTeam(mails)];
  await move(moved.accountId);
  await beginInSecond(inSecond.accountId);
  expect(await placeOf(moved.accountId)).toEqual({ home: "DB_2", step: null });
});

afterAll(() => {
  vi.restoreAllMocks();
});

describe.for(WALKED)("$route", (route) => {
  test("shows and changes nothing of a team in another database", async () => {
    await expectNothingShown(moved, route, inMain);
    await expectNothingShown(stayed, route, inSecond);
  });

  test("leads to the sign-in page without a session", async () => {
    await expectSignIn(moved, route);
  });
});
