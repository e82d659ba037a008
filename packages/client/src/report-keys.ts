import { DEFAULT_RETRY } from "./back-off.ts";
import { baseUrlOf } from "./base-url.ts";
import { VeilError } from "./errors.ts";
import { refuseUnknown } from "./known-options.ts";
import type { ReportKeys } from "./report-verification.ts";
import { readJson, send, type Fetch, type Stoppable } from "./transport.ts";

const IDLE_TIMEOUT_MS = 30_000;

/** How to fetch the public keys of reports. */
export interface ReportKeysOptions extends Stoppable {
  /** Allows http to another machine. To this machine, http is always allowed. */
  readonly allowHttp?: boolean;
  /** Sends the request; the global `fetch` by default. */
  readonly fetch?: Fetch;
}

/** In which form to get a report. */
export interface ReportOptions extends Stoppable {
  /** `csv` for a table with one mask a row, without a signature. The signed report by default. */
  readonly format?: "csv";
}

/** The public keys of a service's reports, which verify them. This needs no API key. */
export async function fetchReportKeys(
  baseUrl: string | undefined,
  options: ReportKeysOptions = {},
): Promise<ReportKeys> {
  refuseUnknown(options, ["allowHttp", "fetch", "signal"]);
  const { allowHttp = false, signal } = options;
  const access = {
    baseUrl: new URL(baseUrlOf(baseUrl, { allowHttp })).origin,
    apiKey: undefined,
    fetch: options.fetch ?? (async (url: string, init: RequestInit) => await fetch(url, init)),
    retry: DEFAULT_RETRY,
    idleTimeoutMs: IDLE_TIMEOUT_MS,
    contact: { isMade: false, refusesWait: false },
  };
  return reportKeysOf(
    await send(access, { method: "GET", path: "/.well-known/jwks.json", signal, read: readJson<unknown> }),
  );
}

/** Checks that a value is a list of keys. @throws VeilError */
export function reportKeysOf(value: unknown): ReportKeys {
  const { keys } = Object(value) as { readonly keys?: unknown };
  const isList = Array.isArray(keys) && keys.every((key) => typeof key === "object" && key !== null);
  if (!isList) throw new VeilError("This is no list of public keys; expected a JSON object with `keys`.");
  return { keys: keys as ReportKeys["keys"] };
}
