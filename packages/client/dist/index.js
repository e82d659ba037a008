export { DEFAULT_RETRY } from "./back-off.js";
export { VeilClient, } from "./client.js";
export { VeilApiError, VeilConnectionError, VeilError, VeilFileError, VeilMediaError, VeilSignatureError, VeilTimeoutError, } from "./errors.js";
export * from "./types.js";
export { verifyWebhook } from "./webhooks.js";
