import { VeilError, notFound } from "./errors.ts";
import type { HttpMiddleware } from "./http.ts";
import { log } from "./log.ts";

/**
 * Serves requests only if the service knows its own address. Links and the origin check depend on it, and a request's `Host`
 * is whatever the client wrote, so the code does not rely on it. The exception is a local service that
 * is reached at this machine's own addresses.
 */
export const ownAddressOnly: HttpMiddleware = async function ownAddressOnly(c, next) {
  const { PUBLIC_URL, LOCAL_DEVELOPMENT } = c.get("config");
  if (PUBLIC_URL === undefined) {
    if (!LOCAL_DEVELOPMENT) {
      log("error", "config.public_url_missing", { requestId: c.get("requestId") });
      throw publicUrlMissing();
    }
    if (!isLoopback(new URL(c.req.url).hostname)) {
      throw notFound(
        "This local service answers at addresses of this machine alone, such as http://127.0.0.1 or http://localhost. To reach it under another name, set PUBLIC_URL.",
      );
    }
  }
  await next();
};

function publicUrlMissing(): VeilError {
  return new VeilError({
    code: "server_error",
    message:
      "The service is not set up yet: its operator has to set the variable PUBLIC_URL of the API Worker to its address, such as https://veil.example.com.",
  });
}

/** Whether a URL's host is this machine (RFC 1122 §3.2.1.3, RFC 4291 §2.5.3, RFC 6761 §6.3). */
function isLoopback(hostname: string): boolean {
  // The URL parser has normalized every notation of an IPv4 address to four decimal numbers.
  return /^(?:127\.\d+\.\d+\.\d+|\[::1\]|(?:.+\.)?localhost)$/.test(hostname);
}
