import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { DASHBOARD_ROUTES } from "../../src/web/dashboard/dashboard.app.tsx";
import { resumeAccount, suspendAccount } from "../support/accounts.ts";
import { Browser } from "../support/browser.ts";
import {
  OWNERS_ONLY,
  PUBLIC,
  WALKED,
  createAttackedTeam,
  expectNothingShown,
  expectSignIn,
  request,
  teamsState,
  type AttackedTeam,
} from "../support/dashboard-walk.ts";
import { catchMails, createTeam, join, signUp, type TestTeam } from "../support/people.ts";

const CHANGES = WALKED.filter(({ method }) => method === "POST");

let team: AttackedTeam;
let stranger: TestTeam;

beforeAll(async () => {
  const mails = catchMails();
  team = await createAttackedTeam(mails);
  stranger = await createTeam(mails);
});

afterAll(() => {
  vi.restoreAllMocks();
});

test("the walk knows every route that is open to everybody", () => {
  expect([...PUBLIC, ...OWNERS_ONLY].filter((route) => !DASHBOARD_ROUTES.has(route))).toEqual([]);
  expect(WALKED.length).toBeGreaterThan(35);
});

describe("signed out", () => {
  test.for(WALKED)("$route leads to the sign-in page and changes nothing", async (route) => {
    await expectSignIn(team, route);
  });
});

describe("as another team's owner", () => {
  test.for(WALKED)("$route shows and changes nothing of the team's", async (route) => {
    await expectNothingShown(team, route, stranger);
  });
});

/** Routes of a person rather than of the selected team. */
const PERSONAL = /^\/dashboard\/(?:sign-out|welcome|teams|invitations|security|system)(?:\/|$)/;

describe("as the owner of a suspended team", () => {
  test.for(WALKED.filter(({ path }) => !PERSONAL.test(path)))(
    "$route answers 401, says why, and changes nothing",
    async (route) => {
      const csrf = await team.owner.csrf();
      const before = await teamsState(team);
      await suspendAccount(team.accountId, { reason: "unpaid invoices" });
      const answer = await request({ browser: team.owner, team }, route, { csrf });
      const text = await answer.text();
      await resumeAccount(team.accountId);
      expect(answer.status).toBe(401);
      expect(text).toContain("suspended the account. The reason given is: unpaid invoices.");
      expect(text).not.toContain("the-owners-secret");
      expect(await teamsState(team)).toEqual(before);
    },
  );

  test("a person shows another of their teams instead, and the docs page makes no key", async () => {
    const mails = catchMails();
    const { userId, browser } = await signUp(mails);
    await join(team.accountId, userId, "member");
    await suspendAccount(team.accountId);
    expect(await (await browser.visit("/dashboard/docs-key")).json()).toEqual({ state: "signed_out" });
    expect((await browser.visit("/dashboard")).status).toBe(401);
    await join(stranger.accountId, userId, "member");
    expect((await browser.visit("/dashboard/media")).status).toBe(200);
    await browser.submit("/dashboard/teams/active", { accountId: team.accountId });
    const refused = await browser.visit("/dashboard/media");
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain(`value="${stranger.accountId}"`);
    await resumeAccount(team.accountId);
    expect(await browser.page("/dashboard/media")).toContain("the-owners-secret.png");
  });
});

describe("as a member", () => {
  test.for(WALKED.filter(({ route }) => OWNERS_ONLY.has(route)))("$route is for owners", async (route) => {
    // A member may leave by themselves, so the request removes somebody else.
    const target = route.path.includes("/remove") ? team.ownerId : team.memberId;
    const attacked = { ...team, ids: { ...team.ids, userId: target } };
    const before = await teamsState(team);
    const csrf = await team.member.csrf();
    const answer = await request({ browser: team.member, team: attacked }, route, { csrf });
    expect(answer.status).toBe(403);
    expect(await answer.text()).toContain("Only owners of the team can do this.");
    expect(await teamsState(team)).toEqual(before);
  });

  test("pages offer nothing that is for owners, and show everything else", async () => {
    for (const path of ["/dashboard/keys", "/dashboard/team", "/dashboard/webhooks"]) {
      const page = await team.member.page(path);
      expect(page).not.toMatch(/Create key|Revoke|>Invite<|Add endpoint|Rename/);
    }
    expect(await team.member.page("/dashboard/media")).toContain("the-owners-secret.png");
  });

  test("a member who is removed sees nothing from the next request on", async () => {
    const mails = catchMails();
    const { userId, browser } = await signUp(mails);
    await join(team.accountId, userId, "member");
    expect(await browser.page("/dashboard/media")).toContain("the-owners-secret.png");
    await team.owner.submit(`/dashboard/team/members/${userId}/remove`);
    expect((await browser.visit("/dashboard/media")).headers.get("Location")).toBe("/dashboard/welcome");
    expect((await browser.visit(`/dashboard/media/${team.ids["mediaId"]}/source`)).status).toBe(303);
  });
});

describe("forged requests", () => {
  test.for(CHANGES)("$route without this session's proof changes nothing", async (route) => {
    const before = await teamsState(team);
    const stolen = await stranger.owner.csrf();
    const own = await team.owner.csrf();
    const forged = [
      await request({ browser: team.owner, team }, route, { csrf: stolen }),
      await request({ browser: team.owner, team }, route, { csrf: await team.member.csrf() }),
      await request({ browser: team.owner, team }, route),
      await request({ browser: team.owner, team }, route, {
        csrf: own,
        headers: { Origin: "https://evil.example" },
      }),
      await request({ browser: team.owner, team }, route, { csrf: own, headers: { Origin: "null" } }),
      await request({ browser: team.owner, team }, route, { csrf: own, headers: { Origin: "" } }),
    ];
    expect(forged.map(({ status }) => status)).toEqual(forged.map(() => 403));
    for (const answer of forged.slice(0, 3))
      expect(await answer.text()).toContain("The page has expired. Reload it and try again.");
    expect(await teamsState(team)).toEqual(before);
  });
});

test("the last owner can neither leave nor step down", async () => {
  const before = await teamsState(team);
  for (const action of ["remove", "role"]) {
    const answer = await team.owner.submit(`/dashboard/team/members/${team.ownerId}/${action}`, {
      role: "member",
    });
    expect(await answer.text()).toContain("A team needs an owner");
  }
  expect(await teamsState(team)).toEqual(before);
});

test("API keys open no page, and sessions open no API", async () => {
  const withKey = await new Browser().visit("/dashboard/media", {
    headers: { Authorization: `Bearer ${team.apiKey}` },
  });
  expect(withKey.status).toBe(303);
  expect((await team.owner.visit("/api/v1/media")).status).toBe(401);
});
