import { insertOnce } from "../audit/audit.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import { membershipsOf } from "./teams.repository.ts";

/** How somebody signs in. */
export type SignInWay = "password" | "second_factor" | "email_link" | "local_link" | "github" | "google";

/** A user who signed in, or was refused. */
export interface SignIn {
  readonly userId: string;
  readonly way: SignInWay;
  readonly isAccepted: boolean;
}

/** Writes a sign-in into the audit trail of every team that the user belongs to. Safe to repeat. */
export async function insertSignIn(
  database: Database,
  { userId, way, isAccepted }: SignIn,
  { requestId, nowMs }: { requestId: string; nowMs: number },
): Promise<void> {
  const kind = isAccepted ? "user.signed_in" : "user.sign_in_refused";
  const done = { kind, subjectId: userId, detail: way } as const;
  for (const { accountId } of await membershipsOf(database, userId)) {
    const deed = { accountId, actor: { kind: "user", id: userId }, requestId, nowMs } as const;
    await insertOnce(database, deed, [{ done, onceKey: `${kind} ${accountId} ${requestId}` }]);
  }
}
