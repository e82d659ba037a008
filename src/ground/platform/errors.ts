import type { z } from "zod";

/** The contract's machine-readable error codes and the HTTP status of each. */
export const ERROR_STATUS = {
  unauthorized: 401,
  not_found: 404,
  conflict: 409,
  precondition_failed: 412,
  range_not_satisfiable: 416,
  validation_failed: 422,
  quota_exceeded: 429,
  rate_limit_exceeded: 429,
  server_error: 500,
  service_unavailable: 503,
} as const;

/** Error codes that only the dashboard uses and the contract does not have. */
const DASHBOARD_STATUS = { forbidden: 403 } as const;

const STATUS = { ...ERROR_STATUS, ...DASHBOARD_STATUS } as const;

export type ErrorCode = keyof typeof STATUS;
export type ErrorDetails = Readonly<Record<string, unknown>>;

/** Faults of a request by field name; each value is a list of full sentences. */
export type FieldErrors = Readonly<Record<string, readonly string[]>>;

/** The only error type of the service. The client reads its message; causes go only to the log. */
export class VeilError extends Error {
  override readonly name = "VeilError";
  readonly code: ErrorCode;
  readonly details: ErrorDetails;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: (typeof STATUS)[ErrorCode];

  constructor(options: {
    code: ErrorCode;
    /** The code's own status unless given. */
    status?: (typeof STATUS)[ErrorCode];
    message: string;
    details?: ErrorDetails;
    headers?: Readonly<Record<string, string>>;
    cause?: unknown;
  }) {
    super(options.message, { cause: options.cause });
    this.code = options.code;
    this.details = options.details ?? {};
    this.headers = options.headers ?? {};
    this.status = options.status ?? STATUS[this.code];
  }
}

const AUTHORIZATION_FORM = "expected `Authorization: Bearer <API_KEY>`";
const KEY_PROBLEMS = {
  missing: `The request has no API key; ${AUTHORIZATION_FORM}.`,
  malformed: `The \`Authorization\` header is not in the form of a bearer token; ${AUTHORIZATION_FORM}.`,
  unknown:
    "This service does not know the API key. Check that the key is complete and that it was created at this address.",
  revoked: "The API key was revoked. Create a new one in the dashboard.",
} as const;

/** 401: the request has no valid API key. */
export function unauthorized(problem: keyof typeof KEY_PROBLEMS): VeilError {
  return new VeilError({
    code: "unauthorized",
    message: KEY_PROBLEMS[problem],
    headers: { "WWW-Authenticate": "Bearer" },
  });
}

/** 404, with the sentence that the client reads. */
export function notFound(message: string): VeilError {
  return new VeilError({ code: "not_found", message });
}

/** 412: the file does not match `If-Match` or `If-Unmodified-Since`. */
export function preconditionFailed(): VeilError {
  return new VeilError({
    code: "precondition_failed",
    message: "The file does not match `If-Match` or `If-Unmodified-Since`.",
  });
}

/** 416: the file has no byte in the requested range, which is shown as it was sent. */
export function rangeNotSatisfiable(shownRange: string, sizeBytes: number): VeilError {
  return new VeilError({
    code: "range_not_satisfiable",
    message: `\`Range\` is ${shownRange}, and the file has ${sizeBytes} bytes; expected ranges that begin inside it.`,
    details: { size_bytes: sizeBytes },
    headers: { "Content-Range": `bytes */${sizeBytes}` },
  });
}

/** 422: invalid input. Each invalid field has sentences that name the value found and what is accepted. */
export function validationFailed(fields: FieldErrors): VeilError {
  const names = Object.keys(fields);
  return new VeilError({
    code: "validation_failed",
    message: `The request is not valid: see ${names.map((name) => `\`${name}\``).join(", ")} in details.`,
    details: fields,
  });
}

/** 503: a dependency of the service is unreachable at the moment. The sentence names it. */
export function unavailable(message: string, cause: unknown, retryAfterSeconds = 5): VeilError {
  return new VeilError({
    code: "service_unavailable",
    message,
    headers: { "Retry-After": String(retryAfterSeconds) },
    cause,
  });
}

/** 503 with the contract's own code for errors of the service: it has too much to do at the moment. */
export function overloaded(message: string, retryAfterSeconds: number): VeilError {
  return new VeilError({
    code: "server_error",
    status: 503,
    message,
    headers: { "Retry-After": String(retryAfterSeconds) },
  });
}

/** Sentences by top-level field name from a zod error. */
export function fieldErrors(error: z.core.$ZodError): Record<string, string[]> {
  // A map, because clients choose the names, and every object already has a `constructor`.
  const fields = new Map<string, string[]>();
  for (const issue of error.issues) {
    const name = String(issue.path[0] ?? "body");
    fields.set(name, [...(fields.get(name) ?? []), issue.message]);
  }
  return Object.fromEntries(fields);
}
