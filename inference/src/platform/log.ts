import { destination, pino } from "pino";

export type Log = pino.Logger;

/**
 * The service's logger. It writes one JSON line per event to standard output.
 * Lines contain counts, sizes and times. They never contain pixels, text, file names or tokens.
 */
export function createLog(level: string): Log {
  return pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, messageKey: "message" },
    destination({ fd: 1, sync: true }),
  );
}
