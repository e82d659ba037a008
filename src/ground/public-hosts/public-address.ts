// CommonJS: Node knows none of its names beforehand.
import ipaddr from "ipaddr.js";

/** IPv6 addresses that are routed on the internet all begin so (RFC 4291 §2.4, IANA's registry): 2000::/3. */
const GLOBAL_UNICAST = new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]);
const GLOBAL_UNICAST_BITS = 3;

/** The scope of an IP address: from where it can be reached. */
export type AddressScope = "public" | "loopback" | "private";

/**
 * Where an IP address leads: the internet, this machine, or somewhere else. Everything that is not plainly public is
 * `private`: link-local and metadata addresses, shared, reserved, documentation and multicast ranges (RFC 6890),
 * and IPv6 forms that carry an IPv4 address, whatever that is.
 *
 * @param address dotted IPv4 or IPv6, without brackets
 */
export function scopeOf(address: string): AddressScope {
  if (!ipaddr.isValid(address)) return "private";
  const parsed = ipaddr.parse(address);
  const range = parsed.range();
  if (range === "loopback") return "loopback";
  if (range !== "unicast") return "private";
  if (parsed instanceof ipaddr.IPv6 && !parsed.match(GLOBAL_UNICAST, GLOBAL_UNICAST_BITS)) return "private";
  return "public";
}
