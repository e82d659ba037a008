import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import type { Auth } from "../../../records/accounts/auth.ts";
import { VeilError } from "../../../ground/platform/errors.ts";
import type { HttpEnv } from "../../../ground/platform/http.ts";
import { callerOf, deedOf } from "../../../records/accounts/caller.ts";
import type { Deed } from "../../../records/audit/audit.repository.ts";
import { shownValue } from "../../../records/media/media.schemas.ts";
import type { Membership } from "../../../records/accounts/teams.repository.ts";

/** The path of the dashboard. */
export const DASHBOARD_PATH = "/dashboard";

/** Who is signed in. */
export interface Viewer {
  readonly userId: string;
  readonly name: string;
  readonly email: string;
  readonly hasSecondFactor: boolean;
  readonly sessionId: string;
  /** The token that binds a form to this session (`csrf.ts`). */
  readonly csrfToken: string;
  readonly teams: readonly Membership[];
  /** Whether this is an operator of the service (`viewer.ts`). */
  readonly isOperator: boolean;
  /** The team whose data is shown; undefined if the user belongs to no team. */
  readonly team: Membership | undefined;
}

/**
 * What an answer may do beyond what pages may: `film` plays a copy that the page itself made, `engine` is the worker that makes it. The
 * worker runs WebAssembly and opens no connection: what it loads and reads is handed to it.
 */
type PagePolicy = "film" | "engine";

export interface DashboardEnv extends HttpEnv {
  Variables: HttpEnv["Variables"] & { auth: Auth; viewer?: Viewer; policy?: PagePolicy };
}

export type DashboardContext = Context<DashboardEnv>;
export type DashboardMiddleware = MiddlewareHandler<DashboardEnv>;

/** The person who is signed in. Throws if the route does not require that. */
export function viewerOf(c: DashboardContext): Viewer {
  const viewer = c.get("viewer");
  if (viewer === undefined) throw new Error("The route reads its viewer without asking for one.");
  return viewer;
}

/** The team whose data is shown. Throws if the route does not require one. */
export function teamOf(c: DashboardContext): Membership {
  const { team } = viewerOf(c);
  if (team === undefined) throw new Error("The route reads its team without asking for one.");
  return team;
}

/** The viewer's action on the team, for the audit trail. */
export function deedBy(c: DashboardContext): Deed {
  return deedOf(callerOf(c), c.get("requestId"));
}

/** Accepts owners and responds to members with 403. */
export const ownersOnly: DashboardMiddleware = async function ownersOnly(c, next) {
  if (teamOf(c).role !== "owner") throw forbidden("Only owners of the team can do this.");
  await next();
};

/** A refusal for a signed-in person. Only the dashboard uses 403; the contract does not have it. */
export function forbidden(message: string): VeilError {
  return new VeilError({ code: "forbidden", message });
}

/** The value of a path parameter. Throws if it is missing. */
export function parameterOf(c: DashboardContext, name: string): string {
  const value = c.req.param(name);
  if (value === undefined) throw new Error(`The route has no parameter ${name}.`);
  return value;
}

/** A form's data, or its errors by field with the entered values. */
export type FormResult<T> =
  | { readonly data: T; readonly faults?: undefined }
  | { readonly data?: undefined; readonly faults: FormFaults };

/** One sentence for each faulty field of a form. */
export type FormFaults = Readonly<Record<string, string>>;

/** Reads and checks a form. */
export async function formOf<T>(c: DashboardContext, schema: z.ZodType<T>): Promise<FormResult<T>> {
  const result = schema.safeParse(await c.req.parseBody());
  if (result.success) return { data: result.data };
  const faults: Record<string, string> = {};
  for (const issue of result.error.issues) faults[String(issue.path[0] ?? "form")] ??= issue.message;
  return { faults };
}

/** A text of a form: trimmed, not empty, and no longer than `max` characters. */
export function textField(name: string, max: number) {
  return z
    .string({ error: `${name} is missing.` })
    .trim()
    .min(1, `${name} is missing.`)
    .max(max, {
      error: (issue) =>
        `${name} has ${typeof issue.input === "string" ? issue.input.length : 0} characters; the limit is ${max}.`,
    });
}

/** An email address of a form, in lower case. */
export const emailField = z
  .string({ error: "The email address is missing." })
  .trim()
  .toLowerCase()
  .pipe(
    z.email({
      error: (issue) =>
        `${shownValue(issue.input)} is not an email address; expected one like ada@example.com.`,
    }),
  );

/** The path to continue to, always on this dashboard and never on another host. */
export function nextPath(value: string | undefined): string {
  return value !== undefined && /^\/dashboard(\/[\w\-/]*)?$/.test(value) && !value.includes("//")
    ? value
    : DASHBOARD_PATH;
}
