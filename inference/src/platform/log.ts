import { destination, pino } from "pino";
import { SettingsError } from "./env.ts";

export type Log = pino.Logger;

/**
 * The service's logger: one JSON line an event on standard output, with the field names that the Workers use: `time`, `level`, `event`,
 * `requestId`, `durationMs`, `error`, `faultMessage`. Lines carry counts, sizes and times; never pixels, texts, file names or tokens.
 */
export function createLog(
  level: string,
  stream: pino.DestinationStream = destination({ fd: 1, sync: true }),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      // The Workers know no level above an error.
      formatters: { level: (label) => ({ level: label === "fatal" ? "error" : label }) },
    },
    stream,
  );
}

/** The fields that describe a caught fault. */
export function errorFields(error: unknown): { error: string; faultMessage: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error, faultMessage: String(error) };
  const { name, message, stack } = error;
  const isExplained = error instanceof SettingsError || stack === undefined;
  return { error: name, faultMessage: message, ...(!isExplained && { stack }) };
}
