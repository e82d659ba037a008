/** The validators that distinguish one state of a file from another. */
export interface Validators {
  /** A strong validator, with its quotes. */
  readonly etag: string;
  readonly modifiedAt: Date;
}

/** Returns the value of a request's header. */
export type HeaderReader = (name: string) => string | undefined;

/** Evaluates the preconditions of a read, in the order of RFC 9110 §13.2.2. */
export function checkPreconditions(
  header: HeaderReader,
  { etag, modifiedAt }: Validators,
): "holds" | "not_modified" | "failed" {
  const modifiedMs = inWholeSeconds(modifiedAt);
  const ifMatch = header("If-Match");
  if (ifMatch !== undefined) {
    if (!listsTag(ifMatch, etag)) return "failed";
  } else if (modifiedMs > dateMs(header("If-Unmodified-Since"), Infinity)) {
    return "failed";
  }
  const ifNoneMatch = header("If-None-Match");
  // Weak tags count here (§13.1.2) and nowhere else.
  if (ifNoneMatch !== undefined) return matchesTag(ifNoneMatch, etag) ? "not_modified" : "holds";
  return modifiedMs <= dateMs(header("If-Modified-Since"), -Infinity) ? "not_modified" : "holds";
}

/** Whether a range may be sent: always without `If-Range`, otherwise only if it matches the current file (RFC 9110 §13.1.5). */
export function mayAnswerRange(ifRange: string | undefined, { etag, modifiedAt }: Validators): boolean {
  return ifRange === undefined || ifRange === etag || ifRange === modifiedAt.toUTCString();
}

/** Whether `If-None-Match` lists a tag, given with its quotes and without `W/`. Weak and strong tags are equal here (RFC 9110 §13.1.2). */
export function matchesTag(ifNoneMatch: string, tag: string): boolean {
  return listsTag(ifNoneMatch.replaceAll('W/"', '"'), tag);
}

function listsTag(list: string, etag: string): boolean {
  if (list.trim() === "*") return true;
  return [...list.matchAll(/(?:W\/)?"[^"]*"/g)].some(([tag]) => tag === etag);
}

/** A header's date. Returns `fallback` if there is none or it cannot be parsed, which counts as absent (§13.1.3, §13.1.4). */
function dateMs(value: string | undefined, fallback: number): number {
  const ms = Date.parse(value ?? "");
  return Number.isNaN(ms) ? fallback : ms;
}

/** HTTP dates have whole seconds. */
function inWholeSeconds(date: Date): number {
  return Math.floor(date.getTime() / 1000) * 1000;
}
