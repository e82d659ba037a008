import { isImageFormat, type ImageFormat, type MediaFormat } from "../vocabulary/media-values.ts";
import { describeUnknownName } from "../platform/unknown-names.ts";
import { MultipartError, readMultipart, type FormPart } from "./multipart.ts";
import { filenameFault } from "./filename-fault.ts";
import { ImageHeaderError, ImageHeaderReader, type ImageHeader } from "./image-header.ts";
import { SNIFF_BYTES, sniff } from "./sniff.ts";
import { OPTION_FIELDS } from "./upload-options.schemas.ts";

const LIMITS = { maxParts: 100, maxHeaderBytes: 16 * 1024 };
const MAX_FIELD_BYTES = 64 * 1024;
/** Text fields, with the most bytes of each. */
const TEXT_FIELDS: ReadonlyMap<string, number> = new Map([
  ["categories", MAX_FIELD_BYTES],
  ["categories[]", MAX_FIELD_BYTES],
  ["redaction_method", MAX_FIELD_BYTES],
  ...OPTION_FIELDS,
]);
/** How the fields are named to people; `categories` is another spelling of `categories[]`. */
const KNOWN_FIELDS = ["file", "categories[]", "redaction_method", ...OPTION_FIELDS.keys()];

/** Bounds of what a file may be, with the units of the configuration. */
export interface FileLimits {
  readonly maxFileBytes: number;
  readonly maxMegapixels: number;
  /** For formats whose decoding holds the whole picture: WebP and progressive JPEG. */
  readonly maxBufferedMegapixels: number;
}

/** What the form's file turned out to be. */
export interface ReceivedFile {
  readonly filename: string;
  readonly format: MediaFormat;
  /** What an image's header declares; undefined for videos, whose containers are read once they are stored. */
  readonly header: ImageHeader | undefined;
  readonly sizeBytes: number;
  readonly sha256: ArrayBuffer;
}

/** Where the bytes of an acceptable file go while they arrive. */
export interface FileSink {
  /** Called once, before the first bytes; false when the bytes are only to be looked at. */
  open(file: { filename: string; format: MediaFormat }): Promise<boolean>;
  write(chunk: Uint8Array): Promise<void>;
}

/** A form as far as it could be read, and the faults found on the way by field. */
export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: ReceivedFile | undefined;
  readonly faults: ReadonlyMap<string, readonly string[]>;
  /** Whether the form was read to its end, so that what is missing in it is missing for good. */
  readonly isComplete: boolean;
}

/** Reads an upload's form as it arrives, parts in any order; its file goes to the sink. All faults are gathered. */
export async function readUploadForm(
  { chunks, boundary }: { readonly chunks: AsyncIterator<Uint8Array>; readonly boundary: string },
  sink: FileSink,
  limits: FileLimits,
): Promise<ReceivedForm> {
  const form = new FormReader(sink, limits);
  try {
    for await (const part of readMultipart(chunks, boundary, LIMITS)) {
      if (!(await form.readPart(part))) return form;
    }
    form.end();
  } catch (error) {
    if (!(error instanceof MultipartError)) throw error;
    form.addFault("file", error.message);
  }
  return form;
}

class FormReader implements ReceivedForm {
  readonly fields = new Map<string, string[]>();
  readonly faults = new Map<string, string[]>();
  file: ReceivedFile | undefined;
  isComplete = false;
  #filesSeen = 0;
  readonly #sink: FileSink;
  readonly #limits: FileLimits;

  constructor(sink: FileSink, limits: FileLimits) {
    this.#sink = sink;
    this.#limits = limits;
  }

  addFault(field: string, sentence: string): void {
    this.faults.set(field, [...(this.faults.get(field) ?? []), sentence]);
  }

  /** Notes that all parts were read. */
  end(): void {
    this.isComplete = true;
    if (this.#filesSeen === 0)
      this.addFault("file", "`file` is missing; send the image or video as a form part with a file name.");
  }

  /** Reads one part; false when the rest of the body is not worth reading. */
  async readPart(part: FormPart): Promise<boolean> {
    if (part.name === "file") return await this.#readFilePart(part);
    const maxBytes = TEXT_FIELDS.get(part.name);
    if (maxBytes === undefined) {
      const { field, sentence } = describeUnknownName("form field", part.name, KNOWN_FIELDS);
      if (this.faults.get(field)?.includes(sentence) !== true) this.addFault(field, sentence);
      return true;
    }
    const field = part.name === "categories[]" ? "categories" : part.name;
    const earlier = this.fields.get(part.name) ?? [];
    const text = await readText(part.body, maxBytes);
    if (text === undefined) this.addFault(field, `\`${field}\` is larger than ${maxBytes} bytes.`);
    // What may be sent once is kept once: many large texts would fill the memory.
    else this.fields.set(part.name, [...earlier, OPTION_FIELDS.has(field) && earlier.length > 0 ? "" : text]);
    return true;
  }

  async #readFilePart(part: FormPart): Promise<boolean> {
    this.#filesSeen += 1;
    if (this.#filesSeen > 1) {
      this.addFault("file", "`file` is sent more than once; send one file per request.");
      return false;
    }
    const nameFault = filenameFault(part.filename);
    if (nameFault !== undefined) this.addFault("file", nameFault);
    return await this.#readFile(part.filename ?? "", part.body);
  }

  async #readFile(filename: string, body: AsyncIterator<Uint8Array>): Promise<boolean> {
    const beginning = await readBeginning(body);
    const sniffed = await sniff(beginning);
    if ("refusal" in sniffed) this.addFault("file", sniffed.refusal);
    const format = "format" in sniffed ? sniffed.format : undefined;
    const imageFormat = format !== undefined && isImageFormat(format) ? format : undefined;
    const reader = imageFormat === undefined ? undefined : new ImageHeaderReader(imageFormat);
    const digest = new crypto.DigestStream("SHA-256");
    const hash = digest.getWriter();
    const isStored =
      format !== undefined && this.faults.size === 0 && (await this.#sink.open({ filename, format }));
    let sizeBytes = 0;
    for (let chunk: Uint8Array = beginning; ;) {
      sizeBytes += chunk.length;
      if (sizeBytes > this.#limits.maxFileBytes) {
        this.addFault("file", tooLarge(this.#limits.maxFileBytes));
        await Promise.allSettled([digest.digest, hash.abort()]);
        return false;
      }
      if (reader !== undefined && imageFormat !== undefined) this.#lookAt(reader, imageFormat, chunk);
      if (isStored && this.faults.size === 0) await this.#sink.write(chunk);
      await hash.write(chunk);
      const next = await body.next();
      if (next.done === true) break;
      chunk = next.value;
    }
    await hash.close();
    this.#finishHeader(reader);
    const header = reader?.found;
    if (format !== undefined && (reader === undefined || header !== undefined)) {
      this.file = { filename, format, header, sizeBytes, sha256: await digest.digest };
    }
    return true;
  }

  #lookAt(reader: ImageHeaderReader, format: ImageFormat, chunk: Uint8Array): void {
    if (reader.found !== undefined || this.faults.has("file")) return;
    try {
      reader.push(chunk);
    } catch (error) {
      this.#addHeaderFault(error);
    }
    if (reader.found !== undefined) this.#checkSize(reader.found, format);
  }

  #finishHeader(reader: ImageHeaderReader | undefined): void {
    if (this.faults.has("file")) return;
    try {
      reader?.finish();
    } catch (error) {
      this.#addHeaderFault(error);
    }
  }

  #addHeaderFault(error: unknown): void {
    if (!(error instanceof ImageHeaderError)) throw error;
    this.addFault("file", error.message);
  }

  #checkSize(header: ImageHeader, format: ImageFormat): void {
    const { widthPixels, heightPixels, isProgressive } = header;
    const isBuffered = format === "webp" || isProgressive;
    const limit = isBuffered ? this.#limits.maxBufferedMegapixels : this.#limits.maxMegapixels;
    const megapixels = (widthPixels * heightPixels) / 1e6;
    if (megapixels <= limit) return;
    const kind = isProgressive ? "progressive JPEG" : { jpeg: "JPEG", png: "PNG", webp: "WebP" }[format];
    this.addFault(
      "file",
      `The image has ${widthPixels}×${heightPixels} pixels (${megapixels.toFixed(1)} megapixels); the limit is ${limit} megapixels for ${kind}.`,
    );
  }
}

function tooLarge(maxFileBytes: number): string {
  return `The file is larger than the limit of ${maxFileBytes} bytes (${maxFileBytes / 1e6} MB).`;
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

async function readText(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<string | undefined> {
  const decoder = new TextDecoder();
  let text = "";
  let sizeBytes = 0;
  for await (const chunk of body) {
    sizeBytes += chunk.length;
    if (sizeBytes <= maxBytes) text += decoder.decode(chunk, { stream: true });
  }
  return sizeBytes <= maxBytes ? text + decoder.decode() : undefined;
}
