// The package is CommonJS, so Node cannot resolve named imports of it.
import ipaddr from "ipaddr.js";

/** All IPv6 addresses that are routed on the internet are in 2000::/3 (RFC 4291 §2.4, IANA's registry). */
const GLOBAL_UNICAST = new ipaddr.IPv6([0x2000, 0, 0, 0, 0, 0, 0, 0]);
const GLOBAL_UNICAST_BITS = 3;

/** The scope of an IP address: where it can be reached from. */
export type AddressScope = "public" | "loopback" | "private";

/**
 * Where an IP address leads: the internet, this machine, or somewhere else. Everything that is not clearly public is `private`: link-local
 * and metadata addresses, shared, reserved, documentation and multicast ranges (RFC 6890), and IPv6 forms that contain any IPv4 address.
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
