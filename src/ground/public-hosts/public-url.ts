import { scopeOf, type AddressScope } from "./public-address.ts";

/** The most characters of a URL, unless its field has its own limit. */
const MAX_URL_CHARACTERS = 2048;
/** The HTTPS ports that a deployed Worker can reach in any zone. */
const PUBLIC_PORTS = ["", "443", "2053", "2083", "2087", "2096", "8443"];
const LOCAL_PORTS = [...PUBLIC_PORTS, "80", "8080"];

/** Names that never lead to the internet (RFC 6761, RFC 6762, RFC 8375, RFC 9476 and customs of private networks). */
const INWARD_SUFFIXES = [
  "localhost",
  "local",
  "localdomain",
  "internal",
  "intranet",
  "private",
  "corp",
  "home",
  "lan",
  "home.arpa",
  "in-addr.arpa",
  "ip6.arpa",
  "onion",
  "alt",
  "test",
  "example",
  "invalid",
];

/** A URL that may be requested, and its host if that is a name, which must still be looked up. */
export interface PublicUrl {
  readonly url: string;
  readonly nameToResolve: string | undefined;
}

/** Why a URL is refused, as a sentence for the client. It repeats neither credentials nor a query. */
export interface RefusedUrl {
  readonly refusal: string;
}

/**
 * Checks a URL without a lookup: https, a public host, an HTTPS port, no credentials. The URL parser has already normalized every notation
 * of an IPv4 address (decimal, octal, hexadecimal, short).
 *
 * @param isLocal local development: http and addresses of this machine are accepted too
 */
export function checkPublicUrl(
  text: string,
  { isLocal, maxCharacters = MAX_URL_CHARACTERS }: { isLocal: boolean; maxCharacters?: number },
): PublicUrl | RefusedUrl {
  if (text.length > maxCharacters)
    return { refusal: `The URL has ${text.length} characters; the limit is ${maxCharacters}.` };
  const url = URL.parse(text);
  if (url === null)
    return { refusal: "The URL cannot be read; expected a URL such as https://example.com/path." };
  if (url.protocol !== "https:" && !(isLocal && url.protocol === "http:"))
    return { refusal: `The URL begins with ${url.protocol}//; expected https://.` };
  if (url.username !== "" || url.password !== "")
    return { refusal: "The URL contains a user name or password; remove them." };
  const host = url.hostname.replace(/\.$/, "").toLowerCase();
  const scope = scopeOfHost(host);
  if (scope === "private" || (scope === "loopback" && !isLocal))
    return { refusal: `The host ${host} is not on the public internet; use a public host.` };
  const ports = isLocal ? LOCAL_PORTS : PUBLIC_PORTS;
  if (scope !== "loopback" && !ports.includes(url.port))
    return {
      refusal: `The port is ${url.port}; expected one of ${ports.filter((port) => port !== "").join(", ")}.`,
    };
  url.hash = "";
  return { url: url.href, nameToResolve: scope === "name" ? host : undefined };
}

/** The scope of a host that is an address, or `name` if it must be resolved. */
function scopeOfHost(host: string): AddressScope | "name" {
  if (host.startsWith("[")) return scopeOf(host.slice(1, -1));
  // After the URL parser, only an IPv4 address has a number as its last label.
  if (/(^|\.)\d+$/.test(host)) return scopeOf(host);
  if (host === "localhost" || host.endsWith(".localhost")) return "loopback";
  // If there is an empty label, resolvers may read a number that the URL parser does not.
  if (host.split(".").includes("")) return "private";
  const isInward = INWARD_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
  return isInward || !host.includes(".") ? "private" : "name";
}
