import type { z } from "zod";
import { JobError } from "./job-error.ts";

/**
 * Data that the service itself stored cannot be read: it is damaged, incomplete or of another version. Every attempt would fail
 * in the same way, so a job that needs it ends at once. A storage outage is not such an error.
 */
export class StoredDataError extends JobError {
  constructor(what: string, cause?: unknown) {
    super("stored_data_unreadable", true, new Error(what, { cause }));
  }
}

/** Parses stored JSON with its schema. @throws StoredDataError if it is not JSON or does not match */
export function readStoredJson<T>(schema: z.ZodType<T>, text: string): T {
  const result = schema.safeParse(parse(text));
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  throw new StoredDataError(`Stored data does not fit: ${issue?.code} at ${issue?.path.join(".")}.`);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new StoredDataError("Stored data is not JSON.");
  }
}
