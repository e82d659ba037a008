import type { BetterAuthPlugin } from "better-auth";
import { createAuthEndpoint } from "better-auth/api";
import { setSessionCookie } from "better-auth/cookies";
import { z } from "zod";

/** The user that the link printed by a local start signs in: whoever runs the service on this machine. */
export const LOCAL_USER = { email: "local@veil.localhost", name: "Local user" };

/** Lets this service's own code, but never a request, sign in a user, for the link that a local start prints. */
export const localSignIn = {
  id: "local-sign-in",
  endpoints: {
    signInLocally: createAuthEndpoint.serverOnly(
      { method: "POST", body: z.object({ userId: z.string() }) },
      async (c) => {
        const user = await c.context.internalAdapter.findUserById(c.body.userId);
        if (user === null) throw new Error("The local user is gone.");
        const session = await c.context.internalAdapter.createSession(user.id);
        await setSessionCookie(c, { session, user });
        return c.json({ userId: user.id });
      },
    ),
  },
} satisfies BetterAuthPlugin;
