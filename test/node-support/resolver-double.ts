import type { ServerResponse } from "node:http";

const A = 1;
const CNAME = 5;
const AAAA = 28;
const PUBLIC = ["93.184.216.34", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"];
/** Addresses of names under example.com; all others are public. */
const ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  "missing.example.com": [],
  "inward-10.example.com": ["10.0.0.5"],
  "inward-127.example.com": ["127.0.0.1"],
  "inward-metadata.example.com": ["169.254.169.254"],
  "inward-mixed.example.com": ["93.184.216.34", "192.168.1.1"],
  "inward-ula.example.com": ["fd00::1"],
  "inward-mapped.example.com": ["::ffff:127.0.0.1"],
  "inward-loopback6.example.com": ["::1"],
  "inward-nat64.example.com": ["64:ff9b::7f00:1"],
};
/** DNS response codes (RFC 1035 §4.1.1) for one type of a name's addresses, and how often they occur. All other lookups succeed. */
const UNTOLD: Readonly<Record<string, { type: number; status: number; times: number }>> = {
  "untold-a.example.com": { type: A, status: 2, times: Infinity },
  "untold-aaaa.example.com": { type: AAAA, status: 2, times: Infinity },
  "untold-refused.example.com": { type: AAAA, status: 5, times: Infinity },
  "untold-once.example.com": { type: AAAA, status: 2, times: 1 },
};
const NAME_ERROR = 3;

/**
 * Answers like a DNS over HTTPS resolver. `flips-N-….example.com` is public for the first N lookups and private from then on.
 */
export function resolverDouble(): (url: URL, response: ServerResponse) => void {
  const asked = new Map<string, number>();
  return (url, response) => {
    const name = url.searchParams.get("name") ?? "";
    if (name === "refused-name.example.com") {
      response.writeHead(400).end();
      return;
    }
    if (name === "resolver-down.example.com") {
      response.writeHead(503).end();
      return;
    }
    const type = url.searchParams.get("type") === "AAAA" ? AAAA : A;
    const key = `${name} ${type}`;
    const count = (asked.get(key) ?? 0) + 1;
    asked.set(key, count);
    const flipsAfter = /^flips-(\d+)-/.exec(name)?.[1];
    const flipped = flipsAfter === undefined || count <= Number(flipsAfter) ? PUBLIC : ["10.0.0.7"];
    const addresses = ADDRESSES[name] ?? flipped;
    const records = addresses.map((data) => ({ name, type: data.includes(":") ? AAAA : A, TTL: 60, data }));
    const found = records.filter((record) => record.type === type);
    const alias = { name, type: CNAME, TTL: 60, data: "alias.example.com." };
    const untold = UNTOLD[name];
    const isUntold = untold?.type === type && count <= untold.times;
    response.setHeader("Content-Type", "application/dns-json");
    response.end(
      JSON.stringify({
        Status: isUntold ? untold.status : addresses.length === 0 ? NAME_ERROR : 0,
        ...(found.length > 0 && !isUntold ? { Answer: [alias, ...found] } : {}),
      }),
    );
  };
}
