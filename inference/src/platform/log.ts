import { destination, pino } from "pino";

export type Log = pino.Logger;

/**
 * The service's logger: one JSON line an event on standard output.
 * Lines carry counts, sizes and times; never pixels, texts, file names or tokens.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" },
    destination({ fd: 1, sync: true }),
  );
}
