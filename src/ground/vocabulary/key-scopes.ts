/** The permissions of an API key: view media; upload, change and download them; delete them. */
export const KEY_SCOPES = ["read", "write", "delete"] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
