/** The format, size and frames that an image's header declares. */
export interface ImageHeader {
  readonly widthPixels: number;
  readonly heightPixels: number;
  /** Whether decoding needs the whole picture at once in a format that usually does not: a progressive JPEG. */
  readonly isBuffered: boolean;
  /** Whether it has transparency, if that determines the output format. */
  readonly hasAlpha?: boolean;
  /** Total duration of its frames, if it has several. */
  readonly animatedSeconds?: number;
}

/** Why a file cannot be opened as the image it claims to be; the message is a full sentence for the client. */
export class ImageHeaderError extends Error {
  override readonly name = "ImageHeaderError";
}

/** Thrown into a parser when its file has ended. */
export class EndOfFileError extends ImageHeaderError {
  constructor() {
    super("The file ends before its image begins.");
  }
}

/** A parser's request for bytes. */
export type Step = { readonly take: number } | { readonly skip: number };

/** Requests the next bytes of a file, or skips some, until it knows the header. */
export type HeaderParser = Generator<Step, ImageHeader, DataView>;

/** Requests bytes. */
export function take(count: number): Step {
  return { take: count };
}

/** Skips bytes. */
export function skip(count: number): Step {
  return { skip: count };
}

/** The header of a picture of this size. @throws ImageHeaderError if it has no pixels */
export function headerOf(
  { width, height }: { width: number; height: number },
  isBuffered = false,
): ImageHeader {
  const [widthPixels, heightPixels] = [width, height];
  if (widthPixels === 0 || heightPixels === 0) {
    throw new ImageHeaderError(
      `The image declares ${widthPixels}×${heightPixels} pixels; both must be at least 1.`,
    );
  }
  return { widthPixels, heightPixels, isBuffered };
}
