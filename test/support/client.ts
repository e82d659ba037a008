import { exports } from "cloudflare:workers";
import { createVeilClient, type VeilClient } from "../../packages/client/src/index.ts";
import { BASE } from "./api.ts";

/** The generated client, speaking to the Worker under test. */
export function clientOf(apiKey: string): VeilClient {
  return createVeilClient({
    baseUrl: BASE,
    apiKey,
    fetch: async (request) => await exports.default.fetch(request),
  });
}
