import { VeilError } from "./errors.ts";
import type { Detections, MediaWithIncluded, Revision } from "./types.ts";

/** The calls needed to find out what the current version of a file hides. */
interface Asked {
  readonly media: (mediaId: string) => Promise<MediaWithIncluded>;
  readonly redacted: (mediaId: string) => Promise<Detections>;
}

/**
 * Turns a revision into one of the file's current version: it hides what that version hides plus what the revision names, minus
 * `except`.
 *
 * @throws VeilError if the revision says `all` or `none`, which is not relative to any version
 */
export async function onCurrentVersion(
  mediaId: string,
  revision: Revision,
  ask: Asked,
): Promise<{ readonly mediaId: string; readonly revision: Revision }> {
  const { redact = [] } = revision;
  if (typeof redact === "string")
    throw new VeilError(
      `redact is "${redact}" with fromCurrent; leave it out, or list IDs to redact in addition.`,
    );
  const { versions } = await ask.media(mediaId);
  const currentId = versions?.superseded_by ?? mediaId;
  const { detections } = await ask.redacted(currentId);
  const ids = new Set([...detections.map(({ id }) => id), ...redact]);
  return { mediaId: currentId, revision: { ...revision, redact: [...ids] } };
}
