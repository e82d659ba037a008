import { isAPIError } from "better-auth/api";
import { PASSWORD_CHARACTERS } from "../../../records/accounts/auth.ts";
import type { FormFaults } from "../request/dashboard.http.ts";

const PASSWORD_LENGTH = `use ${PASSWORD_CHARACTERS.min} to ${PASSWORD_CHARACTERS.max} characters.`;

/** The refusals of authentication, by code, as sentences by field. */
const SENTENCES: Readonly<Record<string, FormFaults>> = {
  INVALID_EMAIL_OR_PASSWORD: { form: "The email address or the password is wrong." },
  INVALID_PASSWORD: { password: "The password is wrong." },
  PASSWORD_TOO_SHORT: { newPassword: `The password is too short; ${PASSWORD_LENGTH}` },
  PASSWORD_TOO_LONG: { newPassword: `The password is too long; ${PASSWORD_LENGTH}` },
  INVALID_TOKEN: { form: "The link is no longer valid. Ask for a new one." },
  TOKEN_EXPIRED: { form: "The link is no longer valid. Ask for a new one." },
  INVALID_CODE: { code: "The code is wrong. Enter the one that the app shows now." },
  INVALID_BACKUP_CODE: { code: "The code is wrong. Each backup code works once." },
  INVALID_TWO_FACTOR_COOKIE: { form: "The sign-in took too long. Start again." },
  TOO_MANY_ATTEMPTS_REQUEST_NEW_CODE: { form: "Too many wrong codes. Sign in again." },
  ACCOUNT_TEMPORARILY_LOCKED: { form: "Too many wrong codes. Wait a while, then sign in again." },
  CREDENTIAL_ACCOUNT_NOT_FOUND: {
    form: "This user signs in through a provider and has no password. Set one with “Forgot the password?”.",
  },
  USER_ALREADY_HAS_PASSWORD: { form: "This user already has a password." },
};

/** The code of a refusal by authentication; undefined for any other fault. */
export function refusalCode(error: unknown): string | undefined {
  if (!isAPIError(error)) return undefined;
  const code: unknown = error.body?.code;
  return typeof code === "string" ? code : "UNKNOWN";
}

/** The form's errors for a refusal. Other errors are rethrown. */
export function refusalFaults(error: unknown): FormFaults {
  const code = refusalCode(error);
  if (code === undefined) throw error;
  return SENTENCES[code] ?? { form: "That was not accepted. Check what you entered." };
}
