import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { variableFaults } from "../../src/platform/variables.ts";
import { checkPublicUrl } from "../../src/public-hosts/public-url.ts";
import { WORKERS } from "./deployed-workers.ts";
import { PLACEMENTS, type Environment } from "./environments.ts";
import { wantedSecrets, type Secrets } from "./worker-secrets.ts";
import { ROOT } from "./wrangler.ts";

/** How a secret's value can be made, where it is random. */
export const MAKERS: Readonly<Record<string, string>> = {
  WEBHOOK_SECRET_KEYS: "openssl rand -base64 32",
  AUTH_SECRET: "openssl rand -base64 48",
};

/** The values that `.dev.vars.example` holds: everybody can read them. */
const EXAMPLES_FILE = join(ROOT, ".dev.vars.example");

/** The services refuse to start with shorter ones. */
const TOKENS = new Set(["INFERENCE_TOKEN", "MEDIA_SERVICE_TOKEN"]);
const MIN_TOKEN_CHARACTERS = 16;

/** Addresses that a deployed Worker calls, or that people call it by. */
const ADDRESSES = new Set([
  "PUBLIC_URL",
  "INFERENCE_URL",
  "HUGGINGFACE_URL",
  "MEDIA_SERVICE_URL",
  "MAIL_URL",
  "UPSTASH_REDIS_REST_URL",
]);

/** Settings of which each needs the others. */
const SETS = [
  ["INFERENCE_ACCESS_CLIENT_ID", "INFERENCE_ACCESS_CLIENT_SECRET"],
  ["MEDIA_SERVICE_URL", "MEDIA_SERVICE_TOKEN"],
  ["MAIL_URL", "MAIL_FROM"],
  ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"],
  ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
];

/** What a deployed Worker would refuse of these secrets, a sentence each. No sentence repeats a secret. */
export function wrongSecrets(secrets: Secrets, environment: Environment): string[] {
  const examples = parseEnv(readFileSync(EXAMPLES_FILE, "utf8"));
  const wrong = new Map<string, string>();
  function refuse(name: string, sentence: string | undefined): void {
    if (sentence !== undefined && !wrong.has(name)) wrong.set(name, `${name}: ${sentence}${made(name)}`);
  }
  const given = Object.entries(secrets).filter(([, value]) => value !== "");
  for (const [name, value] of given) {
    if (TOKENS.has(name)) refuse(name, shortToken(value));
    if (ADDRESSES.has(name)) refuse(name, wrongAddress(name, value, environment));
    if (examples[name] === value) {
      refuse(name, "This is the value of .dev.vars.example, which everybody can read.");
    }
  }
  for (const { kind, variables } of WORKERS) {
    const own = given.filter(([name]) => variables.includes(name));
    for (const [name, fault] of variableFaults(kind, Object.fromEntries(own))) refuse(name, fault);
  }
  return [...wrong.values()];
}

/** What production needs and these secrets lack, a sentence each. */
export function lackingSecrets(secrets: Secrets): string[] {
  const set = new Set(Object.keys(secrets).filter((name) => secrets[name] !== ""));
  const users = new Map<string, string[]>();
  for (const worker of WORKERS) {
    for (const name of wantedSecrets(worker, set).required.filter((wanted) => !set.has(wanted))) {
      users.set(name, [...(users.get(name) ?? []), worker.kind === "api" ? "API" : worker.kind]);
    }
  }
  const lacking = [...users].map(
    ([name, kinds]) => `${name} is missing; ${workersNamed(kinds)} without it.${made(name)}${hintFor(name)}`,
  );
  for (const names of SETS) {
    const missing = names.filter((name) => !set.has(name) && !users.has(name));
    if (missing.length === names.length) continue;
    const there = names.filter((name) => set.has(name));
    for (const name of missing) lacking.push(`${name} is missing; ${there.join(" and ")} needs it.`);
  }
  return lacking;
}

/** The one setting that a first deployment may lack. */
function hintFor(name: string): string {
  return name === "PUBLIC_URL"
    ? " If you do not know the address yet, deploy without it: the deployment prints it."
    : "";
}

function workersNamed(kinds: readonly string[]): string {
  if (kinds.length === 1) return `the ${kinds.join()} Worker does not work`;
  return `the ${kinds.slice(0, -1).join(", ")} and ${kinds.at(-1)} Workers do not work`;
}

function made(name: string): string {
  const maker = MAKERS[name];
  return maker === undefined ? "" : ` Make one with \`${maker}\`.`;
}

function shortToken(token: string): string | undefined {
  if (token.length >= MIN_TOKEN_CHARACTERS) return undefined;
  return `The token has ${token.length} characters; use ${MIN_TOKEN_CHARACTERS} or more. The service refuses to start with a shorter one.`;
}

function wrongAddress(name: string, value: string, environment: Environment): string | undefined {
  const checked = checkPublicUrl(value, { isLocal: false });
  if ("refusal" in checked) return checked.refusal;
  if (name !== "PUBLIC_URL") return undefined;
  const url = new URL(checked.url);
  if (url.pathname !== "/" || url.search !== "") {
    return `The URL has more than a scheme and a host; expected ${url.origin}.`;
  }
  const { domain } = PLACEMENTS[environment];
  if (domain !== undefined && url.host !== domain) {
    return `The host is ${url.host}; scripts/lib/environments.ts gives ${environment} the domain ${domain}.`;
  }
  return undefined;
}
