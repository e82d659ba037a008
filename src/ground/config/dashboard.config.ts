import { z } from "zod";
import { emailAddresses, optionalSecret, optionalUrl, wordOf } from "./values.ts";

/** The dashboard and its accounts. Without AUTH_SECRET there is no dashboard, and the API is unaffected. */
export const dashboardVariables = {
  AUTH_SECRET: z
    .union([
      z.literal(""),
      z.string().min(32, {
        error: ({ input }) =>
          `The secret has ${typeof input === "string" ? input.length : 0} characters; use 32 or more.`,
      }),
    ])
    .transform((value) => (value === "" ? undefined : value))
    .optional(),
  SIGN_UP: wordOf(["open", "invited", "closed"]).default("invited"),
  OPERATOR_EMAILS: emailAddresses,
  MAIL_URL: optionalUrl,
  MAIL_TOKEN: optionalSecret,
  MAIL_FROM: optionalSecret,
  GITHUB_CLIENT_ID: optionalSecret,
  GITHUB_CLIENT_SECRET: optionalSecret,
  GOOGLE_CLIENT_ID: optionalSecret,
  GOOGLE_CLIENT_SECRET: optionalSecret,
  LOCAL_ACCOUNT_ID: optionalSecret,
  LOCAL_SIGN_IN_TOKEN: optionalSecret,
  LOCAL_APP_VERSION: optionalSecret,
  LOCAL_NODE_VERSION: optionalSecret,
};
