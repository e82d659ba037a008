import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { variableFaults } from "../../src/ground/config/workers.config.ts";
import { isLabelMap } from "../../src/work/detection/label-map.ts";
import { checkPublicUrl } from "../../src/ground/public-hosts/public-url.ts";
import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";
import { WORKERS } from "./deployed-workers.ts";
import type { Placement } from "./environments.ts";
import { wrongOrigins } from "./origins.ts";
import { HUGGING_FACE_VARIABLES, unknownSecrets, wantedSecrets, type Secrets } from "./worker-secrets.ts";
import { ROOT } from "./wrangler.ts";

/** Commands that generate random secrets. */
export const MAKERS: Readonly<Record<string, string>> = {
  WEBHOOK_SECRET_KEYS: "openssl rand -base64 32",
  AUTH_SECRET: "openssl rand -base64 48",
};

/** The file of example values, which everybody can read. */
const EXAMPLES_FILE = join(ROOT, ".dev.vars.example");

/** The inference service refuses to start with a shorter token. */
const TOKENS = new Set(["INFERENCE_TOKEN"]);
const MIN_TOKEN_CHARACTERS = 16;

/** Addresses that a deployed Worker calls, or at which people reach it. */
const ADDRESSES = new Set([
  "PUBLIC_URL",
  "INFERENCE_URL",
  "HUGGINGFACE_URL",
  "MAIL_URL",
  "UPSTASH_REDIS_REST_URL",
]);

/** Sets of settings that are only valid together. */
const SETS = [
  ["INFERENCE_ACCESS_CLIENT_ID", "INFERENCE_ACCESS_CLIENT_SECRET"],
  ["MAIL_URL", "MAIL_FROM"],
  ["GITHUB_CLIENT_ID", "GITHUB_CLIENT_SECRET"],
  ["GOOGLE_CLIENT_ID", "GOOGLE_CLIENT_SECRET"],
  ["UPSTASH_REDIS_REST_URL", "UPSTASH_REDIS_REST_TOKEN"],
];

/** A sentence for each secret that a deployed Worker would refuse. No sentence repeats a secret. */
export function wrongSecrets(secrets: Secrets, placement: Placement): string[] {
  const examples = parseEnv(readFileSync(EXAMPLES_FILE, "utf8"));
  const wrong = unknownSecrets(secrets);
  function refuse(name: string, sentence: string | undefined): void {
    if (sentence !== undefined && !wrong.has(name)) wrong.set(name, `${name}: ${sentence}${made(name)}`);
  }
  const given = Object.entries(secrets).filter(([, value]) => value !== "");
  for (const [name, value] of given) {
    if (isPlaceholder(value)) refuse(name, "This is a placeholder from the documentation; put in your own.");
    if (TOKENS.has(name)) refuse(name, shortToken(value));
    if (ADDRESSES.has(name)) refuse(name, wrongAddress(name, value, placement));
    if (name === "CORS_ORIGINS") refuse(name, wrongOrigins(value));
    if (name === "HUGGINGFACE_LABELS" && !isLabelMap(value))
      refuse(
        name,
        `Expected a JSON object of labels and categories, such as {"face": "heads"}. Categories: ${REDACTION_CATEGORIES.join(", ")}.`,
      );
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

/** A sentence for each secret that production needs and these secrets lack. */
export function lackingSecrets(secrets: Secrets): string[] {
  const set = new Set(Object.keys(secrets).filter((name) => secrets[name] !== ""));
  const users = new Map<string, string[]>();
  for (const worker of WORKERS) {
    for (const name of wantedSecrets(worker, set, secrets["DETECTOR"]).required.filter(
      (wanted) => !set.has(wanted),
    )) {
      users.set(name, [...(users.get(name) ?? []), worker.kind === "api" ? "API" : worker.kind]);
    }
  }
  const lacking = [...users].map(
    ([name, kinds]) => `${name} is missing; ${workersNamed(kinds)} without it.${made(name)}${hintFor(name)}`,
  );
  return [...lacking, ...halfSets(secrets, new Set(users.keys()))];
}

/**
 * A sentence for each setting that is missing from a set. Other missing settings may be set already.
 *
 * @param known names that were already reported as missing
 */
export function halfSets(secrets: Secrets, known: ReadonlySet<string> = new Set()): string[] {
  const set = new Set(Object.keys(secrets).filter((name) => secrets[name] !== ""));
  const groups = SETS.map((names) => ({ needing: names.filter((name) => set.has(name)), needed: names }));
  if (set.has("OPERATOR_EMAILS")) groups.push({ needing: ["OPERATOR_EMAILS"], needed: ["AUTH_SECRET"] });
  if (secrets["DETECTOR"] === "huggingface") {
    groups.push({ needing: ["DETECTOR=huggingface"], needed: [...HUGGING_FACE_VARIABLES] });
  }
  return groups
    .filter(({ needing }) => needing.length > 0)
    .flatMap(({ needing, needed }) =>
      needed
        .filter((name) => !set.has(name) && !known.has(name))
        .map((name) => `${name} is missing; ${needing.join(" and ")} needs it.`),
    );
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

function wrongAddress(name: string, value: string, { domain }: Placement): string | undefined {
  const checked = checkPublicUrl(value, { isLocal: false });
  if ("refusal" in checked) return checked.refusal;
  const url = new URL(checked.url);
  if (isPlaceholderHost(url.hostname)) {
    return `The host ${url.hostname} is a placeholder from the documentation; put in your own.`;
  }
  if (name !== "PUBLIC_URL") return undefined;
  if (url.pathname !== "/" || url.search !== "") {
    return `The URL has more than a scheme and a host; expected ${url.origin}.`;
  }
  if (domain !== undefined && url.host !== domain) {
    return `The host is ${url.host}; wrangler.toml gives this environment the domain ${domain}.`;
  }
  return undefined;
}

/** Placeholders of the documentation for values of your own, such as "the output of: openssl …". */
const PLACEHOLDERS = [/^the (?:output of|token that)\b/i, /…$/];

/** Names that nobody can own (RFC 2606), and the placeholder in the guide's workers.dev addresses. */
const PLACEHOLDER_HOSTS = /(?:^|\.)example\.(?:com|net|org)$|(?:^|\.)your-name\.workers\.dev$/i;

/** Whether a value was copied from the documentation. */
function isPlaceholder(value: string): boolean {
  return PLACEHOLDERS.some((pattern) => pattern.test(value.trim()));
}

/** Whether a host was copied from the documentation. */
function isPlaceholderHost(host: string): boolean {
  return PLACEHOLDER_HOSTS.test(host);
}
