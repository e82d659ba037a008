import { VeilError, notFound } from "../../ground/platform/errors.ts";

/** 404: the account has no such media in its queue. */
export function notInQueue(): VeilError {
  return notFound("This file is not in the review queue.");
}

/** 409: only whoever decided may take that back, and only while the media can be looked at again. */
export function cannotUndo(message: string): VeilError {
  return new VeilError({ code: "conflict", message, details: { reason: "cannot_undo" } });
}

/** 409: a file has as many notes as one may have. */
export function tooManyNotes(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "This file has 50 notes, which is the limit.",
    details: { reason: "too_many_notes" },
  });
}
