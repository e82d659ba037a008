import { drizzleAdapter } from "better-auth/adapters/drizzle";
import { betterAuth } from "better-auth/minimal";
import { twoFactor } from "better-auth/plugins/two-factor";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../ground/platform/clock.ts";
import { openDatabase } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { VeilError } from "../../ground/platform/errors.ts";
import { newId, newUuid } from "../../ground/platform/ids.ts";
import { log } from "../../ground/platform/log.ts";
import { sessions, signInMethods, twoFactors, users, verifications } from "./identity.table.ts";
import { localSignIn } from "./local-sign-in.ts";

const SESSION_SECONDS = (7 * DAY_MS) / SECOND_MS;
const SESSION_UPDATE_SECONDS = DAY_MS / SECOND_MS;
const LINK_SECONDS = HOUR_MS / SECOND_MS;
export const PASSWORD_CHARACTERS = { min: 10, max: 128 } as const;

/** Hooks that authentication calls. */
export interface AuthHooks {
  /** Why a user with this address must not be created; undefined if they may. */
  refuseSignUp(email: string): Promise<string | undefined>;
  deliverVerification(email: string, token: string): Promise<void>;
  deliverReset(email: string, token: string): Promise<void>;
  /** Called when somebody tries to sign up with the address of an existing user. */
  deliverAlreadyRegistered(email: string): Promise<void>;
}

/** The names of the configured providers. */
export function socialProvidersOf(config: ApiEnv): ("github" | "google")[] {
  return [
    ...(config.GITHUB_CLIENT_ID !== undefined && config.GITHUB_CLIENT_SECRET !== undefined
      ? ["github" as const]
      : []),
    ...(config.GOOGLE_CLIENT_ID !== undefined && config.GOOGLE_CLIENT_SECRET !== undefined
      ? ["google" as const]
      : []),
  ];
}

/** The secret that signs cookies and encrypts second factors. @throws VeilError if it is not configured */
export function authSecretOf(config: ApiEnv): string {
  if (config.AUTH_SECRET !== undefined) return config.AUTH_SECRET;
  throw new VeilError({ code: "not_found", message: "The dashboard is not configured on this service." });
}

/**
 * Authentication over this service's own tables. Its HTTP handler is not exposed. The dashboard's routes call its functions;
 * they check the origin, limit the rate, and decide who may sign up.
 *
 * Passwords are hashed with scrypt (N = 16384, r = 16, p = 1: 32 MiB, RFC 7914), natively in workerd.
 */
export function createAuth(config: ApiEnv, origin: string, hooks: AuthHooks) {
  const { github, google } = socialCredentials(config);
  return betterAuth({
    appName: "Veil",
    secret: authSecretOf(config),
    baseURL: origin,
    basePath: "/dashboard/auth",
    telemetry: { enabled: false },
    // The library's log contains email addresses, so only the fact that something went wrong is logged.
    logger: {
      level: "error",
      log: (level) => {
        log(level === "error" ? "error" : "warn", "auth.fault", {});
      },
    },
    database: drizzleAdapter(openDatabase(config.MAIN_DB, "primary").orm, {
      provider: "sqlite",
      schema: {
        user: users,
        session: sessions,
        account: signInMethods,
        verification: verifications,
        twoFactor: twoFactors,
      },
    }),
    advanced: {
      cookiePrefix: "veil",
      useSecureCookies: true,
      defaultCookieAttributes: { httpOnly: true, secure: true, sameSite: "lax", path: "/dashboard" },
      ipAddress: { ipAddressHeaders: ["cf-connecting-ip"] },
      database: { generateId: ({ model }) => (model === "user" ? newId("user") : newUuid()) },
    },
    // The routes limit the rate per address and per email. The library would count only within one isolate's memory.
    rateLimit: { enabled: false },
    session: {
      expiresIn: SESSION_SECONDS,
      updateAge: SESSION_UPDATE_SECONDS,
      additionalFields: { activeAccountId: { type: "string", required: false, input: false } },
    },
    verification: { storeIdentifier: "hashed" },
    account: { encryptOAuthTokens: true, accountLinking: { enabled: true, trustedProviders: [] } },
    emailAndPassword: {
      enabled: true,
      autoSignIn: false,
      requireEmailVerification: true,
      minPasswordLength: PASSWORD_CHARACTERS.min,
      maxPasswordLength: PASSWORD_CHARACTERS.max,
      resetPasswordTokenExpiresIn: LINK_SECONDS,
      revokeSessionsOnPasswordReset: true,
      sendResetPassword: async ({ user, token }) => {
        await hooks.deliverReset(user.email, token);
      },
      onExistingUserSignUp: async ({ user }) => {
        await hooks.deliverAlreadyRegistered(user.email);
      },
    },
    emailVerification: {
      sendOnSignUp: true,
      autoSignInAfterVerification: true,
      expiresIn: LINK_SECONDS,
      sendVerificationEmail: async ({ user, token }) => {
        await hooks.deliverVerification(user.email, token);
      },
    },
    socialProviders: {
      ...(github === undefined ? {} : { github }),
      ...(google === undefined ? {} : { google }),
    },
    user: {
      validateUserInfo: async ({ user, source }) => {
        if (source.action !== "create-user") return;
        const isUnproved = source.method === "oauth" && user.emailVerified !== true;
        const refusal = isUnproved
          ? "The provider has not confirmed the address."
          : await hooks.refuseSignUp(String(user.email).toLowerCase());
        return refusal === undefined ? undefined : { error: "sign_up_refused", errorDescription: refusal };
      },
    },
    plugins: [twoFactor({ issuer: "Veil" }), localSignIn],
  });
}

export type Auth = ReturnType<typeof createAuth>;

function socialCredentials(config: ApiEnv) {
  const names = socialProvidersOf(config);
  return {
    github: names.includes("github")
      ? { clientId: config.GITHUB_CLIENT_ID ?? "", clientSecret: config.GITHUB_CLIENT_SECRET ?? "" }
      : undefined,
    google: names.includes("google")
      ? { clientId: config.GOOGLE_CLIENT_ID ?? "", clientSecret: config.GOOGLE_CLIENT_SECRET ?? "" }
      : undefined,
  };
}
