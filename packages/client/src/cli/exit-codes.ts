/**
 * Exit codes of the process. `leftAlone`: all started files are redacted, but a folder held other files. 130 is the shells'
 * code for an interruption: 128 plus the signal's number, 2.
 */
export const EXIT = {
  allRedacted: 0,
  someFailed: 1,
  usage: 2,
  stopped: 3,
  leftAlone: 4,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
