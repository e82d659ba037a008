/** The faults of a list of origins. Browsers send only scheme, host and port, so an origin with anything more never matches. */
export function wrongOrigins(value: string): string | undefined {
  const origins = value.split(/[\s,]+/).filter((origin) => origin !== "");
  return origins.every(isOrigin)
    ? undefined
    : "Expected origins such as https://app.example.com, without a path, separated by spaces or commas.";
}

function isOrigin(text: string): boolean {
  return text === "*" || (URL.parse(text)?.origin === text && /^https?:/.test(text));
}
