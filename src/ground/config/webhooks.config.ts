import { z } from "zod";
import { aesKeys, wholeNumber } from "./values.ts";

/** Webhooks, and other hosts that are resolved before a request is sent to them. */
export const webhookVariables = {
  WEBHOOK_SECRET_KEYS: aesKeys,
  WEBHOOK_TIMEOUT_SECONDS: wholeNumber({ unit: "seconds", least: 1, most: 25, byDefault: 10 }),
  DNS_RESOLVER_URL: z
    .url({ protocol: /^https?$/, error: "Expected a URL that begins with http:// or https://." })
    .default("https://cloudflare-dns.com/dns-query"),
};
