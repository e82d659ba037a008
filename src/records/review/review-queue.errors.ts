import { VeilError, notFound } from "../../ground/platform/errors.ts";

/** 404: the account's queue has no such media item. */
export function notInQueue(): VeilError {
  return notFound("This file is not in the review queue.");
}

/** 409: only the person who decided may undo the decision, and only while the media item can still be viewed. */
export function cannotUndo(message: string): VeilError {
  return new VeilError({ code: "conflict", message, details: { reason: "cannot_undo" } });
}

/** 409: the file already has the most notes. */
export function tooManyNotes(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "This file has 50 notes, which is the limit.",
    details: { reason: "too_many_notes" },
  });
}
