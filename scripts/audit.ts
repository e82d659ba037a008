/** Lists known vulnerabilities of dependencies: `npm run audit`. Fails if a deployed dependency has one of high or critical severity. */
import { spawnSync } from "node:child_process";
import { z } from "zod";
import { ROOT } from "./lib/wrangler.ts";

const TIMEOUT_MS = 60_000;

const reportSchema = z.object({
  metadata: z.object({
    vulnerabilities: z.object({
      low: z.number(),
      moderate: z.number(),
      high: z.number(),
      critical: z.number(),
    }),
  }),
  vulnerabilities: z.record(z.string(), z.looseObject({ severity: z.string() })),
});

const { stdout } = spawnSync("npm", ["audit", "--omit=dev", "--json"], {
  cwd: ROOT,
  encoding: "utf8",
  timeout: TIMEOUT_MS,
});
const report = reportSchema.safeParse(parsed(stdout));
if (!report.success) {
  console.log("SKIPPED: the npm registry offers no audit here (offline, or a mirror without it).");
  process.exit(0);
}
const { low, moderate, high, critical } = report.data.metadata.vulnerabilities;
console.log(`Known vulnerabilities: ${critical} critical, ${high} high, ${moderate} moderate, ${low} low.`);
for (const [name, { severity }] of Object.entries(report.data.vulnerabilities)) {
  console.log(`  ${severity}: ${name}`);
}
process.exit(high + critical > 0 ? 1 : 0);

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
