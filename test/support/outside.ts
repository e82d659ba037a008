import { answerAsDetector } from "./detector-double.ts";

/** A store that answers too late, and one with invalid answers. */
export const SLOW_STORE_URL = "http://slow.redis.test";
export const BROKEN_STORE_URL = "http://broken.redis.test";
const SLOW_MS = 2_000;

interface OutsideRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: Iterable<[string, string]>;
  arrayBuffer(): Promise<ArrayBuffer>;
}

/** Answers the outgoing requests of the Workers under test: to detectors, rate-limit stores, and local servers. */
export async function answerOutside(request: OutsideRequest): Promise<Response> {
  const { origin, hostname } = new URL(request.url);
  if (hostname === "127.0.0.1") {
    return await fetch(request.url, {
      method: request.method,
      headers: [...request.headers],
      body: await request.arrayBuffer(),
    });
  }
  if (origin === SLOW_STORE_URL) {
    await new Promise((resolve) => {
      setTimeout(resolve, SLOW_MS);
    });
  }
  if (origin === SLOW_STORE_URL || origin === BROKEN_STORE_URL) return new Response("?", { status: 503 });
  return await answerAsDetector(request);
}
