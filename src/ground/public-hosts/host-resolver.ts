import { z } from "zod";
import { withRetry, type RetryPolicy } from "../platform/retry.ts";
import { NAME_LOOKUPS } from "../platform/retry-schedules.ts";
import { scopeOf } from "./public-address.ts";

const TIMEOUT_MS = 3_000;
/** Types of DNS records (RFC 1035 §3.2.2, RFC 3596 §2.1). */
const RECORD_TYPES = { A: 1, AAAA: 28 } as const;

/** Response codes of complete answers: addresses, or that there are none (RFC 1035 §4.1.1). */
const TELLING_STATUSES: ReadonlySet<number> = new Set([0, 3]);

const answerSchema = z.object({
  /** The response code of DNS. */
  Status: z.number(),
  Answer: z.array(z.object({ type: z.number(), data: z.string() })).optional(),
});

const NAME_SERVER_RETRY: RetryPolicy = {
  ...NAME_LOOKUPS,
  isTransient: (error) => error instanceof NoTellingAnswer,
};

/** The resolver answers, but the name's own servers do not answer or refuse, so its addresses are unknown. */
class NoTellingAnswer extends Error {
  override readonly name = "NoTellingAnswer";
}

/** The resolver does not accept the name. */
class RefusedName extends Error {
  override readonly name = "RefusedName";
}

/**
 * Where a name leads: only to public addresses, to others too, or nowhere. `unresolved` means that some addresses may be missing, because
 * the name's servers do not answer.
 */
export type HostVerdict = "public" | "not_public" | "not_found" | "unresolved";

/**
 * Looks a name up with DNS over HTTPS (the JSON format of Cloudflare's and Google's resolvers) and checks all its addresses. A name with
 * an address that is not public is not public.
 *
 * @throws if the resolver is unreachable
 */
export async function resolveHost(resolverUrl: string, name: string): Promise<HostVerdict> {
  const found = await Promise.all(
    Object.entries(RECORD_TYPES).map(
      async ([type, code]) => await addressesOf(resolverUrl, name, { type, code }),
    ),
  );
  const addresses = found.flatMap((ofType) => ofType ?? []);
  if (!addresses.every((address) => scopeOf(address) === "public")) return "not_public";
  if (found.includes(undefined)) return "unresolved";
  return addresses.length === 0 ? "not_found" : "public";
}

/** Why a host is refused, as a sentence for the client that named it. */
export function refusalOfHost(name: string, verdict: Exclude<HostVerdict, "public">): string {
  switch (verdict) {
    case "not_found":
      return `The host ${name} has no address; use a public host.`;
    case "not_public":
      return `The host ${name} leads to an address that is not on the public internet; use a public host.`;
    case "unresolved":
      return `The name servers of ${name} do not answer; try again later, or use a public host.`;
  }
}

/** The addresses of one type; undefined if the name's servers do not answer. */
async function addressesOf(
  resolverUrl: string,
  name: string,
  record: { type: string; code: number },
): Promise<string[] | undefined> {
  try {
    return await withRetry(NAME_SERVER_RETRY, async () => await lookUp(resolverUrl, name, record));
  } catch (error) {
    if (error instanceof NoTellingAnswer) return undefined;
    if (error instanceof RefusedName) return [];
    throw error;
  }
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
    // The resolver works but refuses the name, because some forms of names cannot be in the DNS.
    if (response.status === 400) throw new RefusedName(`The DNS resolver refused the name.`);
    throw new Error(`The DNS resolver answered ${response.status}.`);
  }
  const { Status, Answer = [] } = answerSchema.parse(await response.json());
  if (!TELLING_STATUSES.has(Status)) throw new NoTellingAnswer(`The name servers answered ${Status}.`);
  return Answer.filter((record) => record.type === code).map((record) => record.data);
}
