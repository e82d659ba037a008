import {
  CONVERSIONS,
  isConvertedFormat,
  isStillFormat,
  type ConvertedFormat,
  type MediaFormat,
  type StillFormat,
  type UploadFormat,
} from "../../../ground/vocabulary/media-values.ts";
import { toHex } from "../../../ground/platform/ids.ts";
import { fileTooLarge, pixelFault, type FileLimits } from "./file-limits.ts";
import { ImageHeaderError, type ImageHeader } from "./header-parser.ts";
import { ImageHeaderReader } from "./image-header.ts";
import { SNIFF_BYTES, sniff } from "./sniff.ts";

/** The format of the redacted file, and the uploaded format if it is a different one. */
export interface FormatOfFile {
  readonly format: MediaFormat;
  readonly sourceFormat: ConvertedFormat | null;
}

/** The output and source formats of a file that was uploaded as `format`. */
export function formatOfFile(format: UploadFormat, header?: ImageHeader): FormatOfFile {
  if (!isConvertedFormat(format)) return { format, sourceFormat: null };
  if (header?.animatedSeconds !== undefined) return { format: "webm", sourceFormat: format };
  return { format: header?.hasAlpha === true ? "png" : CONVERSIONS[format], sourceFormat: format };
}

/** The file of a form, after its type was detected. */
export interface ReceivedFile extends FormatOfFile {
  /** The form field of the file, which errors about the file name. */
  readonly field: string;
  readonly filename: string;
  /** The values of an image's header. Undefined for videos, whose containers are read after they are stored. */
  readonly header: ImageHeader | undefined;
  readonly sizeBytes: number;
  /** In lowercase hexadecimal. Undefined if it was not taken as the file arrived. */
  readonly sha256: string | undefined;
}

/** Where the bytes of an accepted file are written as they arrive. */
export interface FileSink {
  /** Called once, before the first bytes. Returns false if the bytes must only be checked and not stored. */
  open(file: FormatOfFile & { readonly filename: string }): Promise<boolean>;
  write(chunk: Uint8Array): Promise<void>;
}

/** Error sentences by field, in the order in which they are found. */
export type FormFaults = Map<string, string[]>;

/** Adds an error about a field, as a full sentence. */
export function addFault(faults: FormFaults, field: string, sentence: string): void {
  faults.set(field, [...(faults.get(field) ?? []), sentence]);
}

/** Reads one file as it arrives: detects its type by content, measures and hashes it, and passes it to a sink. */
export class FileReader {
  readonly #field: string;
  readonly #faults: FormFaults;
  readonly #sink: FileSink;
  readonly #limits: FileLimits;

  /** @param options `faults` receives the file's errors under `field`; once it has any, nothing more is stored */
  constructor(options: {
    readonly field: string;
    readonly faults: FormFaults;
    readonly sink: FileSink;
    readonly limits: FileLimits;
  }) {
    this.#field = options.field;
    this.#faults = options.faults;
    this.#sink = options.sink;
    this.#limits = options.limits;
  }

  /** Returns the file; undefined if it is refused. `isEnded` is false if it exceeds the limit and was not read to its end. */
  async read(
    filename: string,
    body: AsyncIterator<Uint8Array>,
  ): Promise<{ file: ReceivedFile | undefined; isEnded: boolean }> {
    const beginning = await readBeginning(body);
    const sniffed = await sniff(beginning);
    if ("refusal" in sniffed) this.#refuse(sniffed.refusal);
    const format = "format" in sniffed ? sniffed.format : undefined;
    const imageFormat = format !== undefined && isStillFormat(format) ? format : undefined;
    const reader = imageFormat === undefined ? undefined : new ImageHeaderReader(imageFormat);
    const digest = new crypto.DigestStream("SHA-256");
    const hash = digest.getWriter();
    const isStored =
      format !== undefined &&
      this.#faults.size === 0 &&
      (await this.#sink.open({ filename, ...formatOfFile(format) }));
    let sizeBytes = 0;
    for (let chunk: Uint8Array = beginning; ;) {
      sizeBytes += chunk.length;
      if (sizeBytes > this.#limits.maxFileBytes) {
        const kind = imageFormat !== undefined ? "picture" : format !== undefined ? "video" : "unknown";
        this.#refuse(fileTooLarge(this.#limits.maxFileBytes, kind));
        await Promise.allSettled([digest.digest, hash.abort()]);
        return { file: undefined, isEnded: false };
      }
      if (reader !== undefined && imageFormat !== undefined) this.#lookAt(reader, imageFormat, chunk);
      if (isStored && this.#faults.size === 0) await this.#sink.write(chunk);
      await hash.write(chunk);
      const next = await body.next();
      if (next.done === true) break;
      chunk = next.value;
    }
    await hash.close();
    if (reader !== undefined && imageFormat !== undefined) this.#finishHeader(reader, imageFormat);
    const header = reader?.found;
    const isKnown = format !== undefined && (reader === undefined || header !== undefined);
    const sha256 = toHex(new Uint8Array(await digest.digest));
    const file = isKnown
      ? { field: this.#field, filename, ...formatOfFile(format, header), header, sizeBytes, sha256 }
      : undefined;
    return { file, isEnded: true };
  }

  #lookAt(reader: ImageHeaderReader, format: StillFormat, chunk: Uint8Array): void {
    if (reader.found !== undefined || this.#faults.has(this.#field)) return;
    try {
      reader.push(chunk);
    } catch (error) {
      this.#addHeaderFault(error);
    }
    if (reader.found !== undefined) this.#checkSize(reader.found, format);
  }

  #finishHeader(reader: ImageHeaderReader, format: StillFormat): void {
    if (reader.found !== undefined || this.#faults.has(this.#field)) return;
    try {
      this.#checkSize(reader.finish(), format);
    } catch (error) {
      this.#addHeaderFault(error);
    }
  }

  #addHeaderFault(error: unknown): void {
    if (!(error instanceof ImageHeaderError)) throw error;
    this.#refuse(error.message);
  }

  #checkSize(header: ImageHeader, format: StillFormat): void {
    const fault = pixelFault(header, format, this.#limits);
    if (fault !== undefined) this.#refuse(fault);
  }

  #refuse(sentence: string): void {
    addFault(this.#faults, this.#field, sentence);
  }
}

async function readBeginning(body: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  let beginning = new Uint8Array(0);
  while (beginning.length < SNIFF_BYTES) {
    const next = await body.next();
    if (next.done === true) break;
    const joined = new Uint8Array(beginning.length + next.value.length);
    joined.set(beginning);
    joined.set(next.value, beginning.length);
    beginning = joined;
  }
  return beginning;
}
