import { VeilError } from "../../ground/platform/errors.ts";
import { KEY_SCOPES, type KeyScope } from "../../ground/vocabulary/key-scopes.ts";

/** The other scopes that each scope includes. */
const INCLUDED: Readonly<Record<KeyScope, readonly KeyScope[]>> = {
  read: ["read"],
  write: ["read", "write"],
  delete: ["delete"],
};

/**
 * The scope that a request needs. New or unknown methods need a scope that allows changes. Redacted files need `write`, so that
 * a key that only follows progress cannot download pictures.
 */
export function neededScope(method: string, path: string): KeyScope {
  if (method === "DELETE") return "delete";
  const isRead = method === "GET" || method === "HEAD";
  return isRead && !/\/download\/?$/.test(path) ? "read" : "write";
}

/** Whether a key's scopes allow a request that needs the scope `needed`. Null allows everything. */
export function mayDo(scopes: readonly KeyScope[] | null, needed: KeyScope): boolean {
  return scopes === null || scopes.some((scope) => INCLUDED[scope].includes(needed));
}

/** 401: the key is valid but lacks the scope. */
export function scopeMissing(scopes: readonly KeyScope[], needed: KeyScope): VeilError {
  return new VeilError({
    code: "unauthorized",
    message: `The API key lacks the scope \`${needed}\`, which this request needs; it has ${scopes.map((scope) => `\`${scope}\``).join(", ")}. Use a key with that scope.`,
    headers: { "WWW-Authenticate": `Bearer error="insufficient_scope", scope="${needed}"` },
  });
}

/** 401: the key has expired. */
export function keyEnded(endedAt: string): VeilError {
  return new VeilError({
    code: "unauthorized",
    message: `The API key expired at ${endedAt}. Create a new one in the dashboard.`,
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  });
}

/** Scopes in their order, without duplicates; null if all or none are named. */
export function scopesOf(names: readonly KeyScope[]): KeyScope[] | null {
  const scopes = KEY_SCOPES.filter((scope) => names.includes(scope));
  return scopes.length === 0 || scopes.length === KEY_SCOPES.length ? null : scopes;
}

/** A key's scopes and expiry, as the audit trail and lists show them. */
export function termsOfKey({
  scopes,
  expiresAt,
}: {
  readonly scopes: readonly KeyScope[] | null;
  readonly expiresAt: number | null;
}): string {
  const through = expiresAt === null ? "" : `, through ${lastDayOf(expiresAt)}`;
  return `scopes: ${scopes === null ? "all" : scopes.join(", ")}${through}`;
}

/** The last day (YYYY-MM-DD, UTC) on which a key is valid: the day that was entered, because it counts in full. */
export function lastDayOf(expiresAtMs: number): string {
  return new Date(expiresAtMs - 1).toISOString().slice(0, 10);
}
