/**
 * A wrangler whose account is a JSON file (`FAKE_ACCOUNT`). It answers as wrangler 4.149 does, refuses what the real account
 * would refuse, and fails where `failAt` says so.
 */
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { argv, env, exit, stderr, stdout } from "node:process";
import type { FakeAccount, FakeScript } from "./fake-account.ts";

const file = env["FAKE_ACCOUNT"] ?? "";
const account = JSON.parse(readFileSync(file, "utf8")) as FakeAccount;
const args = argv.slice(2);
account.calls.push(args.map((arg) => (arg.startsWith("--secrets-file=") ? "--secrets-file" : arg)).join(" "));
save();

function save(): void {
  writeFileSync(file, JSON.stringify(account));
}

function print(line: string): void {
  stdout.write(`${line}\n`);
}

function option(...names: string[]): string {
  const at = args.findIndex((arg) => names.includes(arg));
  return at < 0 ? "" : (args[at + 1] ?? "");
}

function fail(message: string): never {
  stderr.write(`✘ [ERROR] ${message}\n`);
  exit(1);
}

function create(list: string[], name: string): void {
  if (list.includes(name)) fail(`${name} exists already.`);
  list.push(name);
}

function script(): FakeScript {
  return (
    account.scripts[`${basename(option("-c"))} ${option("-e")}`] ?? fail("There is no such configuration.")
  );
}

function deploy(): void {
  const { name, queues, databases, isPublic } = script();
  for (const queue of queues) {
    if (!account.queues.includes(queue)) fail(`Queue "${queue}" does not exist.`);
  }
  for (const database of databases) {
    if (!account.migrated.includes(database)) fail("A Worker is deployed before its database is migrated.");
  }
  const secretsFile = args.find((arg) => arg.startsWith("--secrets-file="))?.split("=")[1];
  const secrets =
    secretsFile === undefined
      ? {}
      : (JSON.parse(readFileSync(secretsFile, "utf8")) as Record<string, string>);
  account.workers[name] = { ...account.workers[name], ...secrets };
  const targets = isPublic ? [account.address, "schedule: * * * * *"] : [];
  appendFileSync(
    env["WRANGLER_OUTPUT_FILE_PATH"] ?? "",
    `${JSON.stringify({ type: "wrangler-session", version: 1 })}\n${JSON.stringify({ type: "deploy", worker_name: name, targets })}\n`,
  );
}

function assigned(name: string): string {
  return (
    args.find((arg) => arg.startsWith(`${name}=`))?.slice(name.length + 1) ?? fail(`${name} is missing.`)
  );
}

function build(): void {
  appendFileSync(
    env["WRANGLER_OUTPUT_FILE_PATH"] ?? "",
    `${JSON.stringify({ type: "deploy", bundle_size: { raw_bytes: 1000, gzip_bytes: 500 } })}\n`,
  );
}

function listSecrets(): void {
  const secrets = account.workers[script().name];
  if (secrets === undefined) fail("This Worker does not exist on your account. [code: 10007]");
  print(JSON.stringify(Object.keys(secrets).map((secret) => ({ name: secret, type: "secret_text" }))));
}

const [first = "", second = "", third = "", fourth = ""] = args;
const command = [first, second, third].join(" ");
if (account.failAt !== undefined && args.join(" ").startsWith(account.failAt)) {
  delete account.failAt;
  save();
  fail("A request to the Cloudflare API failed. Service unavailable [code: 7010]");
}
if (account.hangAt !== undefined && args.join(" ").startsWith(account.hangAt)) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10_000);
}
if (first === "whoami") {
  if (!account.isSignedIn) fail("You are not authenticated.");
  print(JSON.stringify({ loggedIn: true }));
} else if (command === "d1 list --json") {
  print(JSON.stringify(account.databases.map((name) => ({ uuid: crypto.randomUUID(), name }))));
} else if (command === `d1 create ${third}`) create(account.databases, third);
else if (command === "r2 bucket info") {
  if (!account.buckets.includes(fourth)) fail("The specified bucket does not exist. [code: 10006]");
  print(JSON.stringify({ name: fourth }));
} else if (command === "r2 bucket create") create(account.buckets, fourth);
else if (command === `queues info ${third}`) {
  if (!account.queues.includes(third)) fail(`Queue "${third}" does not exist. To create it, run: …`);
} else if (command === `queues create ${third}`) create(account.queues, third);
else if (command === "d1 migrations apply") {
  // The binding `DB_2` refers to the database `veil-production-2`.
  const name = `veil-${option("-e")}${fourth.slice("DB".length).replace("_", "-")}`;
  if (!account.databases.includes(name)) fail("The database does not exist.");
  if (!account.migrated.includes(name)) account.migrated.push(name);
} else if (command.startsWith("deploy --dry-run")) build();
else if (command.startsWith("check startup")) {
  writeFileSync(assigned("--outfile"), JSON.stringify({ nodes: [], samples: [], timeDeltas: [] }));
} else if (first === "deploy") deploy();
else if (command === "secret list -c") listSecrets();
else fail(`Unknown arguments: ${args.join(" ")}`);
save();
