export { DEFAULT_RETRY, type RetryPolicy } from "./back-off.ts";
export {
  VeilClient,
  type DetectionsFilter,
  type RetryOptions,
  type ReviseOptions,
  type VeilClientOptions,
} from "./client.ts";
export type { Download } from "./download.ts";
export {
  VeilApiError,
  VeilConnectionError,
  VeilError,
  VeilFileError,
  VeilMediaError,
  VeilReportError,
  VeilSignatureError,
  VeilTimeoutError,
} from "./errors.ts";
export type { UploadFile } from "./multipart.ts";
export type { UploadLabels } from "./options.ts";
export type { MaskingOptions } from "./options.ts";
export { fetchReportKeys, type ReportKeysOptions, type ReportOptions } from "./report-keys.ts";
export { verifyReport, type ReportKey, type ReportKeys, type VerifiedReport } from "./report-verification.ts";
export { sendFile, type SendOptions } from "./resumable.ts";
export type { Stoppable } from "./transport.ts";
export type { Fetch } from "./transport.ts";
export type { WaitOptions } from "./wait-for-end.ts";
export * from "./types.ts";
export type { UploadOptions, UploadRequest, UploadSource } from "./upload-request.ts";
export { verifyWebhook, type ReceivedWebhook } from "./webhooks.ts";
