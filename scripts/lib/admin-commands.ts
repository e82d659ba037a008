import type { Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { parseArgs, type ParseArgsOptionsConfig } from "node:util";
import { z } from "zod";
import type { LimitChange } from "../../src/records/accounts/account-settings.repository.ts";
import { scopesOf } from "../../src/records/accounts/included-scopes.ts";
import { DAY_MS } from "../../src/ground/platform/clock.ts";
import { KEY_SCOPES, type KeyScope } from "../../src/ground/vocabulary/key-scopes.ts";
import {
  MAX_OUTPUT_RETENTION_DAYS,
  MAX_SOURCE_RETENTION_HOURS,
} from "../../src/ground/config/retention.config.ts";
import { nearest } from "../../packages/client/src/cli/nearest.ts";
import { VeilError } from "../../src/ground/platform/errors.ts";
import {
  createAccount,
  createKey,
  listAccounts,
  listKeys,
  planNamed,
  revokeKey,
  setPlan,
  setRetention,
} from "./accounts.ts";
import { USAGE, usageOf, usageOfGroup } from "./admin-usage.ts";
import { abortAccountMove, databaseNamed, homeOf, moveAccount } from "./account-moves.ts";
import { deleteAccount, resumeAccount, suspendAccount } from "./account-states.ts";
import { exportAccountTrail } from "./audit.ts";
import type { DatabaseTarget } from "./database.ts";
import { redriveDeadLetters, showDeadLetters, showReconciliation } from "./maintenance.ts";
import { environmentNamed } from "./environments.ts";
import { sentenceOf } from "./sentence-of.ts";
import { createInvitation, listInvitations, revokeInvitation } from "./invitations.ts";
import { STATE_DIRECTORY, readLocalAccount } from "./local.ts";
import { deleteMediaOfAny, showMedia } from "./media.ts";
import { listMembers, removeMember, resetSecondFactor } from "./people.ts";
import { listPlans, showAccount, showPlan, showUsage } from "./plans.ts";
import { writePrivately } from "./private-files.ts";
import { listKeysOfReports, rotateReportKey } from "./report-keys.ts";
import { textOf, withIsoMoments } from "./shown-results.ts";
import { listFailingWebhooks, showSystem } from "./system.ts";
import { createWebhook, deleteWebhook, listWebhooks } from "./webhooks.ts";

const OPTIONS = {
  name: { type: "string" },
  plan: { type: "string" },
  account: { type: "string" },
  email: { type: "string" },
  role: { type: "string" },
  key: { type: "string" },
  invitation: { type: "string" },
  url: { type: "string" },
  events: { type: "string" },
  endpoint: { type: "string" },
  message: { type: "string" },
  media: { type: "string" },
  from: { type: "string" },
  until: { type: "string" },
  scopes: { type: "string" },
  expires: { type: "string" },
  "requests-per-minute": { type: "string" },
  images: { type: "string" },
  "video-minutes": { type: "string" },
  "source-hours": { type: "string" },
  "output-days": { type: "string" },
  reason: { type: "string" },
  confirm: { type: "string" },
  to: { type: "string" },
  abort: { type: "boolean" },
  json: { type: "boolean", default: false },
  env: { type: "string" },
  help: { type: "boolean", default: false },
} as const satisfies ParseArgsOptionsConfig;

/** Options of every command. */
const COMMON: ReadonlySet<string> = new Set(["json", "env", "help"]);

type Options = ReturnType<typeof parseArgs<{ options: typeof OPTIONS }>>["values"];
type Command = (target: DatabaseTarget, options: Options) => Promise<unknown>;

const COMMANDS: Readonly<Record<string, Command>> = {
  "account create": async (target, options) =>
    await createAccount(target, { name: required(options, "name"), plan: planNamed(options.plan ?? "Free") }),
  "account list": async (target) => await listAccounts(target),
  "account show": async (target, options) => await showAccount(target, required(options, "account")),
  "account set-plan": async (target, options) => {
    const accountId = required(options, "account");
    const plan = planNamed(required(options, "plan"));
    await setPlan(target, { accountId, plan, limits: limitsOf(options) });
    return await showPlan(target, accountId);
  },
  "account set-retention": async (target, options) => {
    const accountId = required(options, "account");
    const retention = {
      sourceHours: limitOf(options, "source-hours", { least: 0, most: MAX_SOURCE_RETENTION_HOURS }),
      outputDays: limitOf(options, "output-days", { least: 0, most: MAX_OUTPUT_RETENTION_DAYS }),
    };
    await setRetention(target, { accountId, retention });
    return {
      accountId,
      ...(retention.sourceHours !== undefined && { sourceHours: retention.sourceHours ?? "the service's" }),
      ...(retention.outputDays !== undefined && { outputDays: retention.outputDays ?? "the service's" }),
    };
  },
  "account suspend": async (target, options) =>
    await suspendAccount(target, { accountId: required(options, "account"), reason: options.reason }),
  "account resume": async (target, options) => await resumeAccount(target, required(options, "account")),
  "account delete": async (target, options) =>
    await deleteAccount(target, { accountId: required(options, "account"), confirm: options.confirm }),
  "account move": async (target, options) => {
    const accountId = required(options, "account");
    return options.abort === true
      ? await abortAccountMove(target, accountId)
      : await moveAccount(target, { accountId, to: databaseNamed(required(options, "to")) });
  },
  "plan list": () => Promise.resolve(listPlans()),
  "plan show": async (target, options) => await showPlan(target, await accountOf(options)),
  "usage show": async (target, options) => {
    const accountId = await accountOf(options);
    return await showUsage(await homeOf(target, accountId), accountId);
  },
  "invitation create": async (target, options) =>
    await createInvitation(target, {
      accountId: await accountOf(options),
      email: required(options, "email"),
      role: options.role ?? "owner",
    }),
  "invitation list": async (target, options) => await listInvitations(target, await accountOf(options)),
  "invitation revoke": async (target, options) =>
    await revokeInvitation(target, required(options, "invitation")),
  "member list": async (target, options) => await listMembers(target, await accountOf(options)),
  "member remove": async (target, options) => {
    const email = required(options, "email");
    return await removeMember(target, { accountId: await accountOf(options), email });
  },
  "user reset-second-factor": async (target, options) =>
    await resetSecondFactor(target, required(options, "email")),
  "key create": async (target, options) =>
    await createKey(target, {
      accountId: await accountOf(options),
      name: options.name ?? "Key",
      scopes: scopesFrom(options.scopes),
      expiresAt: endOf(options.expires),
    }),
  "key list": async (target, options) => await listKeys(target, await accountOf(options)),
  "key revoke": async (target, options) => {
    const keyId = required(options, "key");
    await revokeKey(target, keyId);
    return { keyId, revoked: true };
  },
  "media show": async (target, options) => await showMedia(target, required(options, "media")),
  "media delete": async (target, options) => await deleteMediaOfAny(target, required(options, "media")),
  "audit export": async (target, options) => {
    const accountId = await accountOf(options);
    const { from, until } = options;
    return await exportAccountTrail(await homeOf(target, accountId), { accountId, from, until });
  },
  "system show": async (target) => await showSystem(target),
  "reconciliation show": async (target) => await showReconciliation(target),
  "webhook create": async (target, options) => {
    const accountId = await accountOf(options);
    return await createWebhook(await homeOf(target, accountId), {
      accountId,
      url: required(options, "url"),
      event_kinds: options.events?.split(","),
    });
  },
  "webhook list": async (target, options) => {
    const accountId = await accountOf(options);
    return await listWebhooks(await homeOf(target, accountId), accountId);
  },
  "webhook list-failing": async (target) => await listFailingWebhooks(target),
  "webhook delete": async (target, options) => {
    const endpointId = required(options, "endpoint");
    await deleteWebhook(target, endpointId);
    return { endpointId, deleted: true };
  },
  "report-key rotate": async (target) => await rotateReportKey(target),
  "report-key list": async (target) => await listKeysOfReports(target),
  "dead-letter list": async (target) => await showDeadLetters(target),
  "dead-letter redrive": async (target, options) => ({
    redriven: await redriveDeadLetters(target, required(options, "message")),
  }),
};

/** Node takes `--images -5` for two options; what was meant is refused with its own sentence later. */
function withNegativeNumbers(args: readonly string[]): string[] {
  const joined: string[] = [];
  for (const arg of args) {
    const option = joined.at(-1);
    const isNegative = /^-\d/.test(arg) && option !== undefined && /^--[a-z-]+$/.test(option);
    if (isNegative) joined.splice(-1, 1, `${option}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

async function run(args: readonly string[], stdout: Writable): Promise<void> {
  const { values, positionals } = parseArgs({
    args: withNegativeNumbers(args),
    options: OPTIONS,
    allowPositionals: true,
  });
  const name = positionals.join(" ");
  const command = COMMANDS[name];
  if (values.help || name === "") {
    writeLine(stdout, command === undefined ? (usageOfGroup(name) ?? USAGE) : usageOf(name));
    return;
  }
  const ofGroup = usageOfGroup(name);
  if (ofGroup !== undefined) {
    writeLine(stdout, ofGroup);
    return;
  }
  if (command === undefined) {
    const meant = nearest(name, Object.keys(COMMANDS));
    const hint = meant === undefined ? "npm run -s admin -- --help lists them" : `did you mean ${meant}?`;
    throw new Error(`There is no command ${JSON.stringify(name)}; ${hint}`);
  }
  refuseOthers(name, values);
  writePrivately();
  const target: DatabaseTarget =
    values.env === undefined
      ? { local: { stateDirectory: STATE_DIRECTORY } }
      : { environment: environmentNamed(values.env) };
  const result = await command(target, values);
  if (result instanceof ReadableStream) await pipeline(result, stdout);
  else writeLine(stdout, values.json ? JSON.stringify(withIsoMoments(result), null, 2) : textOf(result));
}

/** @throws Error that names an option which the command does not have: it would do something else than was meant */
function refuseOthers(name: string, options: Options): void {
  const usage = usageOf(name);
  for (const option of Object.keys(options)) {
    if (COMMON.has(option) || new RegExp(`--${option}\\b`).test(usage)) continue;
    throw new Error(`--${option} is not an option of ${name}:\n\n${usage}`);
  }
}

function required(
  options: Options,
  name:
    | "name"
    | "plan"
    | "account"
    | "email"
    | "key"
    | "url"
    | "endpoint"
    | "message"
    | "media"
    | "invitation"
    | "to",
): string {
  const value = options[name];
  if (value === undefined || value.trim() === "")
    throw new Error(`--${name} is missing; npm run -s admin -- --help shows the command.`);
  return value;
}

async function accountOf(options: Options): Promise<string> {
  if (options.account !== undefined) return options.account;
  const local = options.env === undefined ? await readLocalAccount() : undefined;
  if (local === undefined)
    throw new Error("--account is missing, and there is no local account to fall back on.");
  return local.accountId;
}

function scopesFrom(text: string | undefined): KeyScope[] | null {
  if (text === undefined) return null;
  const names = z
    .array(z.enum(KEY_SCOPES))
    .min(1)
    .safeParse(text.split(",").map((name) => name.trim()));
  if (!names.success)
    throw new Error(
      `--scopes is ${JSON.stringify(text)}; expected some of ${KEY_SCOPES.join(", ")}, with commas between.`,
    );
  return scopesOf(names.data);
}

/** The end of a day in UTC. */
function endOf(day: string | undefined): number | null {
  if (day === undefined) return null;
  const endsAt = z.iso.date().safeParse(day).success ? Date.parse(day) + DAY_MS : Number.NaN;
  if (!(endsAt > Date.now()))
    throw new Error(`--expires is ${JSON.stringify(day)}; expected a day from today on, such as 2027-12-31.`);
  return endsAt;
}

function limitsOf(options: Options): LimitChange {
  return {
    requestsPerMinute: limitOf(options, "requests-per-minute"),
    imagesPerPeriod: limitOf(options, "images"),
    videoMinutesPerPeriod: limitOf(options, "video-minutes"),
  };
}

function limitOf(
  options: Options,
  name: "requests-per-minute" | "images" | "video-minutes" | "source-hours" | "output-days",
  { least, most } = { least: 1, most: Number.MAX_SAFE_INTEGER },
): number | null | undefined {
  const text = options[name];
  if (text === undefined) return undefined;
  if (text === "none") return null;
  const limit = z.coerce.number().int().min(least).max(most).safeParse(text);
  if (!limit.success) {
    const range = most === Number.MAX_SAFE_INTEGER ? `of ${least} or more` : `from ${least} to ${most}`;
    throw new Error(`--${name} is ${JSON.stringify(text)}; expected a whole number ${range}, or "none".`);
  }
  return limit.data;
}

/** What is wrong, field by field where there are fields. */
function sentencesOf({ message, details }: VeilError): string[] {
  const sentences = Object.values(details).flat().map(String);
  return sentences.length > 0 ? sentences : [message];
}

function writeLine(stream: Writable, text: string): void {
  stream.write(`${text}\n`);
}

/**
 * Runs one of the operator's commands on the data that `VEIL_DIR` names, or on an environment's. What is wrong goes to
 * `stderr` as a sentence. Returns the exit code.
 */
export async function runAdmin(
  args: readonly string[],
  { stdout, stderr }: { readonly stdout: Writable; readonly stderr: Writable },
): Promise<number> {
  try {
    await run(args, stdout);
    return 0;
  } catch (error) {
    if (error instanceof VeilError) writeLine(stderr, sentencesOf(error).join("\n"));
    else writeLine(stderr, sentenceOf(error, "npm run -s admin -- --help"));
    return 1;
  }
}
