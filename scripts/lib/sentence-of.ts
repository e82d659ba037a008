import { DrizzleQueryError } from "drizzle-orm";

/**
 * The message for an error that ended a command. For a failed query, it is the database's message. For an invalid command line, it is
 * Node's first sentence and where the options are listed.
 */
export function sentenceOf(error: unknown, help: string): string {
  if (!(error instanceof Error)) return String(error);
  if (error instanceof DrizzleQueryError && error.cause !== undefined) return sentenceOf(error.cause, help);
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (!code.startsWith("ERR_PARSE_ARGS_")) return error.message;
  const [sentence = error.message] = error.message.split(". ");
  return `${sentence}; ${help} lists the options.`;
}
