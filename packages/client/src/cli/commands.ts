import type { ParseArgsConfig } from "node:util";
import { readFileSync } from "node:fs";
import {
  DELETIONS_OPTIONS,
  LIST_OPTIONS,
  parseDeletions,
  parseList,
  parseMediaIds,
  parseUsage,
} from "./account-arguments.ts";
import { deleteMedia, getMedia, list, listDeletions, retryMedia, showUsage } from "./account.ts";
import { CONNECTION_OPTIONS, parseOrder, REDACT_OPTIONS } from "./arguments.ts";
import { completionOf, parseCompletion } from "./completion.ts";
import {
  DETECT_OPTIONS,
  DOWNLOAD_OPTIONS,
  parseDetect,
  parseDownload,
  parseRevise,
  REVISE_OPTIONS,
} from "./correction-arguments.ts";
import { detect, revise, download } from "./corrections.ts";
import { EXIT, type ExitCode } from "./exit-codes.ts";
import { generalHelp, HELP } from "./help.ts";
import { didYouMean, UsageError } from "./option-values.ts";
import { redactFiles } from "./redact-files.ts";
import { VERIFY_OPTIONS, parseVerify, verify } from "./verify.ts";

/** The package's own version. */
const VERSION = (
  JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string }
).version;

/** Runs the requested command. */
type Run = () => Promise<ExitCode>;

interface Command {
  readonly summary: string;
  readonly options: NonNullable<ParseArgsConfig["options"]>;
  /** Parses the arguments after the command's name. @throws UsageError */
  readonly prepare: (args: readonly string[], env: NodeJS.ProcessEnv) => Run;
}

type Name = keyof typeof HELP;

const COMMANDS: Readonly<Record<Name, Command>> = {
  redact: {
    summary: "upload photos and videos, and write the redacted files",
    options: REDACT_OPTIONS,
    prepare: withHelp("redact", parseOrder, redactFiles),
  },
  detect: {
    summary: "list what is found in a file or a media item",
    options: DETECT_OPTIONS,
    prepare: withHelp("detect", parseDetect, detect),
  },
  revise: {
    summary: "make a corrected version of a redacted file",
    options: REVISE_OPTIONS,
    prepare: withHelp("revise", parseRevise, revise),
  },
  download: {
    summary: "wait for a media item and write its redacted file",
    options: DOWNLOAD_OPTIONS,
    prepare: withHelp("download", parseDownload, download),
  },
  verify: {
    summary: "check a report, and whether it is about a file",
    options: VERIFY_OPTIONS,
    prepare: withHelp("verify", parseVerify, verify),
  },
  list: {
    summary: "list the newest media",
    options: LIST_OPTIONS,
    prepare: withHelp("list", parseList, list),
  },
  get: {
    summary: "show the status of media",
    options: CONNECTION_OPTIONS,
    prepare: withHelp("get", parseMediaIds("get"), getMedia),
  },
  retry: {
    summary: "try failed media again",
    options: CONNECTION_OPTIONS,
    prepare: withHelp("retry", parseMediaIds("retry"), retryMedia),
  },
  usage: {
    summary: "show how much of the plan is used",
    options: CONNECTION_OPTIONS,
    prepare: withHelp("usage", parseUsage, showUsage),
  },
  delete: {
    summary: "delete media",
    options: CONNECTION_OPTIONS,
    prepare: withHelp("delete", parseMediaIds("delete"), deleteMedia),
  },
  deletions: {
    summary: "show what was deleted, by whom, and what is left of it",
    options: DELETIONS_OPTIONS,
    prepare: withHelp("deletions", parseDeletions, listDeletions),
  },
  completion: {
    summary: "print completions for bash, zsh or fish",
    options: {},
    prepare: withHelp("completion", parseCompletion, async (shell) =>
      print(completionOf(shell, Object.entries(COMMANDS))),
    ),
  },
};

/** Parses the arguments of `veil`. @throws UsageError before anything is sent */
export function prepare(args: readonly string[], env: NodeJS.ProcessEnv): Run {
  const [name, ...rest] = args;
  if (name === undefined || name === "--help" || name === "-h" || name === "help") {
    const summaries = Object.entries(COMMANDS).map(([command, { summary }]) => [command, summary]);
    return async () => print(generalHelp(Object.fromEntries(summaries) as Record<Name, string>));
  }
  if (name === "--version" || name === "-V") return async () => print(`${VERSION}\n`);
  const known = Object.entries(COMMANDS).find(([command]) => command === name);
  if (known === undefined)
    throw new UsageError(
      `The command is ${JSON.stringify(name)}${didYouMean(name, Object.keys(COMMANDS))}; expected one of ${Object.keys(COMMANDS).join(", ")}.`,
    );
  return known[1].prepare(rest, env);
}

function withHelp<Order>(
  name: Name,
  parse: (args: readonly string[], env: NodeJS.ProcessEnv) => Order | undefined,
  run: (order: Order) => Promise<ExitCode>,
): Command["prepare"] {
  return (args, env) => {
    const order = parse(args, env);
    return order === undefined ? async () => print(HELP[name]) : async () => await run(order);
  };
}

function print(text: string): ExitCode {
  process.stdout.write(text);
  return EXIT.allRedacted;
}
