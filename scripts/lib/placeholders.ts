/** Placeholders of the documentation for values of your own, such as "the output of: openssl …". */
const PLACEHOLDERS = [/^the (?:output of|token that)\b/i, /…$/];

/** Names that nobody can own (RFC 2606), and the placeholder in the guide's workers.dev addresses. */
const PLACEHOLDER_HOSTS = /(?:^|\.)example\.(?:com|net|org)$|(?:^|\.)your-name\.workers\.dev$/i;

/** Whether a value was copied from the documentation. */
export function isPlaceholder(value: string): boolean {
  return PLACEHOLDERS.some((pattern) => pattern.test(value.trim()));
}

/** Whether a host was copied from the documentation. */
export function isPlaceholderHost(host: string): boolean {
  return PLACEHOLDER_HOSTS.test(host);
}
