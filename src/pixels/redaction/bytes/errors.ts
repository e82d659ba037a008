/** Why a file could not be redacted. Every code is permanent: the same bytes fail the same way again. */
export type RedactionErrorCode =
  /** The bytes are not a picture of the format, or are damaged before the first pixel. */
  | "undecodable"
  /** The picture is larger than the kernel's memory allows. */
  | "too_large"
  /** A valid file of a kind the kernel does not write (12-bit or arithmetic JPEG, APNG, animated WebP). */
  | "unsupported"
  /** A region is not finite, or a polygon has fewer than three corners. */
  | "invalid_region";

/** The only error this folder throws. Its message holds only the kernel's own words and file dimensions. */
export class RedactionError extends Error {
  override readonly name = "RedactionError";
  readonly code: RedactionErrorCode;

  constructor(code: RedactionErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.code = code;
  }
}
