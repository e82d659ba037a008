import { z } from "zod";
import { scopeOf } from "./public-address.ts";

const TIMEOUT_MS = 3_000;
/** Types of DNS records (RFC 1035 §3.2.2, RFC 3596 §2.1). */
const RECORD_TYPES = { A: 1, AAAA: 28 } as const;

const answerSchema = z.object({
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

/** Where a name leads: to public addresses alone, somewhere else too, or nowhere. */
export type HostVerdict = "public" | "not_public" | "not_found";

/**
 * Looks a name up with DNS over HTTPS (the JSON form that Cloudflare's and Google's resolvers answer) and checks every
 * address it has. A name that leads to one address that is not public is not public.
 *
 * @throws when the resolver is out of reach
 */
export async function resolveHost(resolverUrl: string, name: string): Promise<HostVerdict> {
  const found = await Promise.all(
    Object.entries(RECORD_TYPES).map(async ([type, code]) => await lookUp(resolverUrl, name, { type, code })),
  );
  const addresses = found.flat();
  if (addresses.length === 0) return "not_found";
  return addresses.every((address) => scopeOf(address) === "public") ? "public" : "not_public";
}

async function lookUp(
  resolverUrl: string,
  name: string,
  { type, code }: { type: string; code: number },
): Promise<string[]> {
  const url = new URL(resolverUrl);
  url.searchParams.set("name", name);
  url.searchParams.set("type", type);
  const response = await fetch(url, {
    headers: { Accept: "application/dns-json" },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  if (!response.ok) {
    await response.body?.cancel();
    throw new Error(`The DNS resolver answered ${response.status}.`);
  }
  const { Answer = [] } = answerSchema.parse(await response.json());
  return Answer.filter((record) => record.type === code).map((record) => record.data);
}
