import type { z } from "zod";
import { JobError } from "./job-error.ts";

/**
 * What the service itself has stored cannot be read: it is damaged, incomplete or of another version. Every other try would meet the
 * same, so a job that needs it ends at once. That storage does not answer is no such fault.
 */
export class StoredDataError extends JobError {
  constructor(what: string, cause?: unknown) {
    super("stored_data_unreadable", true, new Error(what, { cause }));
  }
}

/** A value that is stored as JSON, as its schema has it. @throws StoredDataError when it is no JSON or does not fit */
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
