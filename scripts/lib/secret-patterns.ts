/** Patterns of secrets. Each requires enough of a secret that ordinary words do not match. */
const PATTERNS: Readonly<Record<string, RegExp>> = {
  "private key": /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/,
  "AWS key": /\bAKIA[0-9A-Z]{16}\b/,
  "GitHub token": /\bgh[pousr]_[A-Za-z0-9]{36,}\b|\bgithub_pat_[A-Za-z0-9_]{60,}\b/,
  "npm token": /\bnpm_[A-Za-z0-9]{36}\b/,
  "Slack token": /\bxox[abprs]-[A-Za-z0-9-]{20,}/,
  "Hugging Face token": /\bhf_[A-Za-z0-9]{30,}\b/,
  "Google key": /\bAIza[0-9A-Za-z_-]{35}\b/,
  "Stripe key": /\b[rs]k_live_[0-9A-Za-z]{20,}\b/,
  "Cloudflare token": /\bCLOUDFLARE_API_(?:TOKEN|KEY)["'\s:=]+[A-Za-z0-9_-]{37,}/,
  "JSON web token": /\beyJ[A-Za-z0-9_-]{15,}\.eyJ[A-Za-z0-9_-]{15,}\.[A-Za-z0-9_-]{15,}/,
  "Veil API key": /\bveil_[A-Za-z0-9_-]{43}\b/,
  "webhook secret": /\bwhsec_[A-Za-z0-9_-]{43}\b/,
  "assigned secret":
    /(?:\b|_)(?:SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|SECRET_KEYS)["']?\s*[:=]\s*["']?(?=[A-Za-z0-9+/_-]*[0-9])(?=[A-Za-z0-9+/_-]*[a-z])(?=[A-Za-z0-9+/_-]*[A-Z])[A-Za-z0-9+/_-]{32,}={0,2}/,
};

/** The kind and text of a secret that a line seems to hold; undefined if it holds none. */
export function secretIn(line: string): { kind: string; text: string } | undefined {
  for (const [kind, pattern] of Object.entries(PATTERNS)) {
    const text = pattern.exec(line)?.[0];
    if (text !== undefined) return { kind, text };
  }
  return undefined;
}
