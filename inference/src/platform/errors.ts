export type ErrorCode =
  | "unauthorized"
  | "not_found"
  | "validation_failed"
  | "payload_too_large"
  | "overloaded"
  | "cancelled"
  | "server_error";

const STATUS_OF_CODE = {
  unauthorized: 401,
  not_found: 404,
  validation_failed: 422,
  payload_too_large: 413,
  overloaded: 503,
  cancelled: 499,
  server_error: 500,
} as const satisfies Record<ErrorCode, number>;

export interface ServiceErrorInit {
  readonly code: ErrorCode;
  /** A full sentence for the caller. It must not reveal internals or anything about the pictures. */
  readonly message: string;
  /** Full sentences by field name, or whatever the code documents. */
  readonly details?: Record<string, unknown>;
  /** For `overloaded`: the number of seconds after which to retry. */
  readonly retryAfterSeconds?: number;
  readonly cause?: unknown;
}

/** The service's only error type: a message that the caller may read, and the status of its code. */
export class ServiceError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  readonly retryAfterSeconds: number | undefined;

  constructor(init: ServiceErrorInit) {
    super(init.message, init.cause === undefined ? undefined : { cause: init.cause });
    this.name = "ServiceError";
    this.code = init.code;
    this.details = init.details ?? {};
    this.retryAfterSeconds = init.retryAfterSeconds;
  }

  /** HTTP status of the error's code. */
  get status(): (typeof STATUS_OF_CODE)[ErrorCode] {
    return STATUS_OF_CODE[this.code];
  }
}

/** A validation error for one field, with the given sentence as its message. */
export function invalid(field: string, sentence: string): ServiceError {
  return new ServiceError({ code: "validation_failed", message: sentence, details: { [field]: [sentence] } });
}

/** An error for a caller that has hung up. Nobody reads the answer. */
export function cancelled(): ServiceError {
  return new ServiceError({
    code: "cancelled",
    message: "The caller went away before the answer was ready.",
  });
}

/** Whether an error means that the caller has hung up. */
export function isCancelled(error: unknown): boolean {
  return error instanceof ServiceError && error.code === "cancelled";
}

/** Throws `cancelled` if the signal has fired. */
export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled();
}
