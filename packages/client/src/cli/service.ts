import { readFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { isThisMachine } from "../base-url.ts";
import type { Order } from "./arguments.ts";
import { UsageError } from "./option-values.ts";

/** The service's location, and a note on how it was found. */
export interface FoundService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly note: string | undefined;
}

/**
 * The service named by the options or the environment, or else the one that runs on this machine.
 *
 * @throws UsageError if there is neither
 */
export async function findService(
  order: Pick<Order, "baseUrl" | "apiKey" | "veilDirectory">,
  directory: string,
): Promise<FoundService> {
  const { baseUrl, apiKey } = order;
  if (baseUrl !== undefined && apiKey !== undefined) return { baseUrl, apiKey, note: undefined };
  if (baseUrl !== undefined) throw new UsageError("The API key is missing: --api-key or VEIL_API_KEY.");
  if (apiKey !== undefined) throw new UsageError("The base URL is missing: --base-url or VEIL_BASE_URL.");
  for (const file of candidates(order.veilDirectory, directory)) {
    const local = await readService(file);
    if (local !== undefined)
      return { ...local, note: `Using the local service at ${local.baseUrl} (${file}).` };
  }
  throw new UsageError(
    "No service was given, and none was found here. Give --base-url and --api-key (or VEIL_BASE_URL and VEIL_API_KEY), or run npm start.",
  );
}

function candidates(veilDirectory: string | undefined, directory: string): string[] {
  if (veilDirectory !== undefined) return [resolve(directory, veilDirectory, "service.json")];
  const files: string[] = [];
  for (let at = directory; ; at = dirname(at)) {
    files.push(join(at, ".veil", "service.json"));
    if (dirname(at) === at) return files;
  }
}

/** Reads the description of a service on this machine. One that points elsewhere is ignored, because anybody could have put it there. */
async function readService(file: string): Promise<{ baseUrl: string; apiKey: string } | undefined> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return undefined;
  const { baseUrl, apiKey } = fieldsOf(text);
  if (typeof baseUrl !== "string" || typeof apiKey !== "string" || !URL.canParse(baseUrl)) return undefined;
  return isThisMachine(new URL(baseUrl)) ? { baseUrl, apiKey } : undefined;
}

function fieldsOf(text: string): { readonly baseUrl?: unknown; readonly apiKey?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
