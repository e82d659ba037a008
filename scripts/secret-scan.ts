/** Searches the whole committed history for secrets: `npm run secret-scan`. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { secretIn } from "./lib/secret-patterns.ts";
import { ROOT } from "./lib/wrangler.ts";

/** Texts that look like secrets but are not, with the reason. */
const KNOWN: Readonly<Record<string, string>> = {
  "b25seS1mb3Itd3JhbmdsZXItZGV2LWxvY2FsbHktMzI=":
    "the words only-for-wrangler-dev-locally-32, which a deployment refuses",
  AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8: "the bytes 0 to 31, with which tests encrypt webhook secrets",
};

const git = spawn("git", ["log", "--all", "-p", "--unified=0", "--no-color", "--format=commit %H"], {
  cwd: ROOT,
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(git, "exit");
let commit = "";
let file = "";
let lines = 0;
const found = new Map<string, string>();
for await (const line of createInterface({ input: git.stdout })) {
  if (line.startsWith("commit ")) commit = line.slice(7, 19);
  else if (line.startsWith("+++ b/")) file = line.slice(6);
  else if (line.startsWith("+")) {
    lines += 1;
    const secret = secretIn(line);
    if (secret === undefined || Object.keys(KNOWN).some((known) => secret.text.includes(known))) continue;
    found.set(`${file}: ${secret.kind}`, commit);
  }
}
const [exitCode] = (await ended) as [number | null];
if (exitCode !== 0) {
  console.log("SKIPPED: there is no Git history here to scan.");
  process.exit(0);
}
console.log(`${lines} lines of all commits scanned.`);
// The text itself is not printed, because more people read logs than the repository.
for (const [what, where] of found) console.error(`${what}, first in ${where}`);
process.exit(found.size === 0 ? 0 : 1);
