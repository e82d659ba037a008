import { env } from "cloudflare:workers";
import { vi } from "vitest";
import { newId } from "../../src/ground/platform/ids.ts";
import type { Role } from "../../src/records/accounts/teams.table.ts";
import { createAccount, type TestAccount } from "./accounts.ts";
import { Browser } from "./browser.ts";

export const PASSWORD = "correct horse battery";

/** A mail that the tests' endpoint received. */
export interface SentMail {
  readonly authorization: string | null;
  readonly body: {
    readonly from: string;
    readonly to: string;
    readonly subject: string;
    readonly text: string;
  };
}

/** Receives mails in place of the mail endpoint. All other requests are passed on. */
export function catchMails(answer: () => Response = () => new Response(null, { status: 202 })): SentMail[] {
  const mails: SentMail[] = [];
  const real = globalThis.fetch;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).host !== "mail.test") return await real(request);
    mails.push({
      authorization: request.headers.get("Authorization"),
      body: await request.json<SentMail["body"]>(),
    });
    return answer();
  });
  return mails;
}

/** The path of the link in a mail. */
export function linkIn(mail: SentMail | undefined): string {
  const link = /https:\/\/\S+/.exec(mail?.body.text ?? "")?.[0];
  if (link === undefined) throw new Error("There is no link in the mail.");
  const { pathname, search } = new URL(link);
  return `${pathname}${search}`;
}

let people = 0;

/** A unique email address. */
export function someEmail(): string {
  people += 1;
  return `person-${people}@example.com`;
}

/** Signs a new user up through the pages, with the address confirmed, and returns the signed-in browser. */
export async function signUp(
  mails: SentMail[],
  { email = someEmail(), browser = new Browser() }: { email?: string; browser?: Browser } = {},
): Promise<{ browser: Browser; email: string; userId: string }> {
  const sentBefore = mails.length;
  const answer = await browser.visit("/dashboard/sign-up", {
    form: { name: "Some Person", email, newPassword: PASSWORD },
  });
  if (answer.status !== 200) throw new Error(`The sign-up answered ${answer.status}.`);
  await browser.visit(linkIn(mails[sentBefore]));
  const user = await env.DB.prepare("SELECT id FROM users WHERE email = ?")
    .bind(email)
    .first<{ id: string }>();
  return { browser, email, userId: user?.id ?? "" };
}

/** Makes a user a member of an account directly in the database. */
export async function join(accountId: string, userId: string, role: Role): Promise<void> {
  await env.DB.prepare("INSERT INTO memberships (account_id, user_id, role, created_at) VALUES (?, ?, ?, ?)")
    .bind(accountId, userId, role, Date.now())
    .run();
}

/** The sign-ins in an account's audit trail, oldest first. */
export async function signInsOf(accountId: string): Promise<unknown[]> {
  const { results } = await env.DB.prepare(
    `SELECT kind, actor_id, subject_id, detail FROM audit_entries
     WHERE account_id = ? AND kind LIKE 'user.%' ORDER BY id`,
  )
    .bind(accountId)
    .all<{ kind: string; actor_id: string; subject_id: string; detail: string | null }>();
  return results.map(({ kind, actor_id: actorId, subject_id: subjectId, detail }) => {
    if (actorId !== subjectId) throw new Error("Somebody signed in for another.");
    return [kind, subjectId, detail];
  });
}

/** An account with an API key, and a signed-in owner and member of it. */
export interface TestTeam extends TestAccount {
  readonly owner: Browser;
  readonly ownerId: string;
  readonly member: Browser;
  readonly memberId: string;
}

export async function createTeam(mails: SentMail[]): Promise<TestTeam> {
  const account = await createAccount();
  const owner = await signUp(mails);
  const member = await signUp(mails);
  await join(account.accountId, owner.userId, "owner");
  await join(account.accountId, member.userId, "member");
  return {
    ...account,
    owner: owner.browser,
    ownerId: owner.userId,
    member: member.browser,
    memberId: member.userId,
  };
}

/** An open invitation whose link is unknown. */
export async function someInvitation(accountId: string): Promise<string> {
  const id = newId("invitation");
  await env.DB.prepare(
    `INSERT INTO invitations (id, account_id, email, role, token_sha256, created_at, expires_at)
     VALUES (?, ?, ?, 'member', ?, ?, ?)`,
  )
    .bind(id, accountId, someEmail(), id, Date.now(), Date.now() + 3_600_000)
    .run();
  return id;
}
