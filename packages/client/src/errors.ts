import type { ErrorBody, ErrorCode, Media, MediaFailure } from "./types.ts";

/** The errors that the client throws. Each kind has its own class. A stopped call throws the reason of its signal instead. */
export class VeilError extends Error {
  override readonly name: string = "VeilError";
}

/** The service responded with a refusal or an error. */
export class VeilApiError extends VeilError {
  override readonly name = "VeilApiError";
  readonly status: number;
  /** The code of the error envelope; undefined if an intermediary responded instead of the service. */
  readonly code: ErrorCode | undefined;
  readonly details: Readonly<Record<string, unknown>>;
  /** What is wrong with each field of an invalid request, in full sentences. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** Identifies the request for support. */
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;

  constructor(
    message: string,
    answer: { status: number; body?: ErrorBody | undefined; retryAfterSeconds?: number | undefined },
  ) {
    super([message, ...Object.values(fieldsOf(answer.body)).flat()].join(" "));
    this.status = answer.status;
    this.code = answer.body?.error.code;
    this.details = answer.body?.error.details ?? {};
    this.fields = fieldsOf(answer.body);
    this.requestId = answer.body?.request_id;
    this.retryAfterSeconds = answer.retryAfterSeconds;
  }
}

function fieldsOf(body: ErrorBody | undefined): Record<string, string[]> {
  if (body?.error.code !== "validation_failed") return {};
  return Object.fromEntries(
    Object.entries(body.error.details).map(([field, sentences]) => [field, [sentences].flat().map(String)]),
  );
}

/** The service could not be reached, or an exchange was interrupted. `cause` is the platform's error. */
export class VeilConnectionError extends VeilError {
  override readonly name = "VeilConnectionError";
  /** Whether nothing listens at the base URL, or has before, so that it is probably wrong. */
  readonly isUnreachable: boolean;

  constructor(
    message: string,
    { isUnreachable = false, ...options }: ErrorOptions & { isUnreachable?: boolean } = {},
  ) {
    super(message, options);
    this.isUnreachable = isUnreachable;
  }
}

/** The file of an upload cannot be read; `cause` says why. */
export class VeilFileError extends VeilError {
  override readonly name = "VeilFileError";
}

/** No data moved within the idle timeout, or a media item took longer than the client was to wait. */
export class VeilTimeoutError extends VeilError {
  override readonly name = "VeilTimeoutError";
}

/** A media item has ended without a redacted file: it failed or exceeded the quota. */
export class VeilMediaError extends VeilError {
  override readonly name = "VeilMediaError";
  readonly media: Media;
  /** The reason, if the service reported one. */
  readonly failure: MediaFailure | undefined;

  constructor(media: Media, failure?: MediaFailure) {
    super(failure?.message ?? messageFor(media));
    this.media = media;
    this.failure = failure;
  }
}

function messageFor({ id, status }: Media): string {
  return status === "quota_exceeded"
    ? `Media ${id} does not fit the quota of the billing period.`
    : `Media ${id} could not be processed; its file may be damaged.`;
}

/** A report is not genuine, or is about other files; the message says why. */
export class VeilReportError extends VeilError {
  override readonly name = "VeilReportError";
}

/** A webhook is not signed with any of the secrets, or is older than the tolerance. */
export class VeilSignatureError extends VeilError {
  override readonly name = "VeilSignatureError";
}
