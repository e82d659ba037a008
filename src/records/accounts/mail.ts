import { SECOND_MS } from "../../ground/platform/clock.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { withRetry } from "../../ground/platform/retry.ts";
import { MAIL } from "../../ground/platform/retry-schedules.ts";

const TIMEOUT_MS = 10 * SECOND_MS;

/** An email with one link. `kind` names it in the log. */
export interface LinkMail {
  readonly kind: "verify_email" | "reset_password" | "invitation" | "already_registered";
  readonly to: string;
  readonly subject: string;
  /** The text before the link. */
  readonly text: string;
  readonly link: string;
}

/** Whether links can reach people: through the mail endpoint, or on screen in local mode. */
export function canDeliver(config: ApiEnv): boolean {
  return config.LOCAL_DEVELOPMENT || (config.MAIL_URL !== undefined && config.MAIL_FROM !== undefined);
}

/**
 * Sends an email: POST of `{from, to, subject, text}` as JSON with a bearer token to `MAIL_URL`. In local mode, nothing is sent
 * and the caller shows the link. Anyone who has the link can sign in with it, so no log may contain it.
 *
 * @throws Error if the endpoint rejects it or does not accept it after retries
 */
export async function sendMail(config: ApiEnv, mail: LinkMail): Promise<void> {
  if (config.LOCAL_DEVELOPMENT) {
    log("info", "mail.local", { kind: mail.kind });
    return;
  }
  const { MAIL_URL: url, MAIL_FROM: from } = config;
  if (url === undefined || from === undefined) throw new Error("MAIL_URL and MAIL_FROM are not configured.");
  try {
    await withRetry({ ...MAIL, isTransient: isWorthRepeating }, async () => {
      await post(url, config.MAIL_TOKEN, {
        from,
        to: mail.to,
        subject: mail.subject,
        text: `${mail.text}\n\n${mail.link}\n`,
      });
    });
    log("info", "mail.sent", { kind: mail.kind });
  } catch (error) {
    log("error", "mail.failed", { kind: mail.kind, ...errorFields(error) });
    throw error;
  }
}

class Refusal extends Error {
  readonly status: number;

  constructor(status: number) {
    super(`The mail endpoint answered ${status}.`);
    this.status = status;
  }
}

function isWorthRepeating(error: unknown): boolean {
  return !(error instanceof Refusal) || error.status >= 500 || error.status === 429;
}

async function post(url: string, token: string | undefined, body: object): Promise<void> {
  const response = await fetch(url, {
    method: "POST",
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      "Content-Type": "application/json",
      ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  await response.body?.cancel();
  if (!response.ok) throw new Refusal(response.status);
}
