/** The whole help. */
export const USAGE = `Usage: npm run -s admin -- <command> [options]

  account create --name N [--plan P]     create an account and its first API key (plan Free by default)
  account list                           all accounts
  account show --account ID              an account: plan, limits, retention, state, members, and how many keys and endpoints
  account set-plan --account ID --plan P [--requests-per-minute N] [--images N] [--video-minutes N]
                                         move an account to a plan; limits override the plan's, "none" clears them
  account set-retention --account ID [--source-hours N] [--output-days N]
                                         how long an account's files are kept after processing has ended; applies to media
                                         that end from now on. "none" restores the service's defaults
  account suspend --account ID [--reason R]
                                         refuse the account's API keys and members until it is resumed; they are told the
                                         reason. Its jobs and webhooks go on
  account resume --account ID            end a suspension
  account delete --account ID --confirm NAME
                                         delete an account for good, with its media, keys, endpoints and members; NAME is
                                         the account's name. The sweeper does it; the same command again says how far it is
  account move --account ID --to DB_2 [--abort]
                                         move an account's data to another database of the environment while it is used. The
                                         sweeper does it; the same command again shows its progress, --abort cancels it
  plan list                              the plans and what each allows
  plan show [--account ID]               an account's plan, limits and retention, and which are set on the account itself
  usage show [--account ID]              what an account has used, reserved and left of its quotas in this period
  invitation create --email E [--account ID] [--role owner|member]
                                         invite someone to an account's dashboard, as its owner by default; the path of
                                         the link is shown once
  invitation list [--account ID]         an account's open invitations
  invitation revoke --invitation ID      take an open invitation back
  member list [--account ID]             an account's members, their roles, and who has a second factor
  member remove --email E [--account ID]
                                         end a membership; the last owner stays
  user reset-second-factor --email E     for a user who lost the authenticator and the backup codes: take both away and end
                                         all sessions. Make sure first who is asking
  key create [--account ID] [--name N] [--scopes S,S] [--expires DAY]
                                         create an API key; shown once. Scopes are read, write (which includes read) and
                                         delete, all unless given; DAY is its last day, such as 2027-12-31, in UTC
  key list [--account ID]                an account's keys, without their secrets
  key revoke --key ID                    revoke a key permanently
  webhook create --url U [--account ID] [--events K,K]
                                         create a webhook endpoint and its signing secret; shown once
  webhook list [--account ID]            an account's endpoints, without their secrets
  webhook list-failing                   endpoints of all accounts that keep failing, or were turned off for it: by host,
                                         since when, how many attempts
  webhook delete --endpoint ID           remove an endpoint and its deliveries
  media show --media ID                  a media item of any account, as the API shows it
  media delete --media ID                delete a media item of any account, as the API does
  audit export [--account ID] [--from DAY] [--until DAY]
                                         an account's audit trail as CSV, on the standard output
  system show                            what the System page shows: inference, queues, failures, failing webhook endpoints.
                                         With --env, inference is asked at INFERENCE_URL with INFERENCE_TOKEN
  reconciliation show                    what the last nightly comparison of files and records found
  report-key rotate                      sign reports with a new key; reports that were signed before stay valid. With --env,
                                         WEBHOOK_SECRET_KEYS must be the deployed one
  report-key list                        the keys of reports, when each was replaced, and which encryption key it needs

  dead-letter list                       messages that a queue gave up, newest first
  dead-letter redrive --message ID|all   send a message again within a minute, or all that have not been sent again

  --json      print JSON
  --env E     work on the database of a deployed environment, staging or production, instead of the local one

Without --account, commands that take one in brackets work on the account that npm start made.`;

/** The part of the help about one command: its line and the lines indented below it. */
export function usageOf(name: string): string {
  const lines = USAGE.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`  ${name} `));
  const end = lines.findIndex((line, index) => index > start && !/^ {10}/.test(line));
  return lines.slice(start, end).join("\n");
}

/** The part of the help about the commands of a noun; undefined if no command has that noun. */
export function usageOfGroup(noun: string): string | undefined {
  const names = USAGE.split("\n").flatMap((line) => /^ {2}([a-z]\S* [a-z]\S*)/.exec(line)?.[1] ?? []);
  const own = names.filter((name) => name.startsWith(`${noun} `));
  return own.length === 0 ? undefined : own.map(usageOf).join("\n");
}
