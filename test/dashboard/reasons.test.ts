import { env } from "cloudflare:workers";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { openDatabase } from "../../src/ground/platform/database.ts";
import { findReasonList } from "../../src/records/masking/reasons.repository.ts";
import { isReasonCode } from "../../src/records/masking/reasons.schemas.ts";
import { READY_MADE_LISTS } from "../../src/records/masking/ready-made-lists.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";

let team: TestTeam;

beforeAll(() => {
  catchMails();
});

beforeEach(async () => {
  team = await createTeam(catchMails());
});

async function save(form: Record<string, string>): Promise<Response> {
  return await team.owner.submit("/dashboard/reasons", form);
}

async function savedList(): Promise<unknown> {
  return await findReasonList(openDatabase(env.DB, "primary"), team.accountId);
}

test("owners save a list with default reasons, members see it, and the trail has an entry", async () => {
  const answer = await save({
    reasons: "(b)(6) | Personal privacy\r\n\r\nArt. 9\tHealth, <religion> | other",
    default_heads: "(b)(6)",
    default_documents: "",
  });
  expect(answer.headers.get("Location")).toBe("/dashboard/reasons?notice=reasons_changed");
  expect(await savedList()).toEqual({
    reasons: [
      { code: "(b)(6)", text: "Personal privacy" },
      { code: "Art. 9", text: "Health, <religion> | other" },
    ],
    defaults: { heads: "(b)(6)" },
  });
  const seen = await team.member.page("/dashboard/reasons");
  expect(seen).toContain("Health, &lt;religion&gt; | other");
  expect(seen).not.toContain("Save reasons");
  expect((await team.member.submit("/dashboard/reasons", { reasons: "" })).status).toBe(403);
  const { results } = await env.DB.prepare(
    "SELECT subject_id FROM audit_entries WHERE account_id = ? AND kind = 'reasons.changed'",
  )
    .bind(team.accountId)
    .all();
  expect(results).toEqual([{ subject_id: team.accountId }]);
});

test.for([
  [{ reasons: "(b)(6)" }, "Line 1: expected a code, |, and a text."],
  [{ reasons: "\n | text" }, "Line 2: “” is not a code; expected 1 to 20 letters"],
  [{ reasons: "näh | text" }, "Line 1: “näh” is not a code"],
  [{ reasons: "A | one\nA | two" }, "Line 2: the code A is already in the list."],
  [{ reasons: `A | ${"x".repeat(201)}` }, "Line 1: the text has 201 characters; the limit is 200."],
  [
    { reasons: Array.from({ length: 201 }, (_, index) => `${index} | x`).join("\n") },
    "There are 201 reasons; the limit is 200.",
  ],
  [{ reasons: "A | one", default_heads: "B" }, "The list has no reason B. Choose another one, or none."],
] as const)(
  "a list with an error is not saved, and the form says what is wrong: %s",
  async ([form, sentence]) => {
    const answer = await save(form);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(sentence);
    expect(await savedList()).toEqual({ reasons: [], defaults: {} });
  },
);

test("a ready-made list fills the form, which saves it", async () => {
  for (const { reasons } of Object.values(READY_MADE_LISTS))
    expect(reasons.every(({ code }) => isReasonCode(code))).toBe(true);
  const page = await team.owner.page("/dashboard/reasons?list=foia");
  expect(page).toContain("(b)(7)(C) | Law enforcement: unwarranted invasion of personal privacy");
  expect(page).toContain("not saved yet");
  expect(await savedList()).toEqual({ reasons: [], defaults: {} });
  const text = /<textarea[^>]*>([^<]*)<\/textarea>/.exec(page)?.[1] ?? "";
  await save({ reasons: text });
  expect(await savedList()).toEqual({ reasons: READY_MADE_LISTS.foia.reasons, defaults: {} });
});
