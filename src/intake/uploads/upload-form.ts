import { describeUnknownName } from "../../ground/platform/unknown-names.ts";
import { MultipartError, readMultipart, type FormPart } from "./body/multipart.ts";
import { filenameFault } from "./body/filename-fault.ts";
import type { FileLimits } from "./files/file-limits.ts";
import { FileReader, addFault, type FileSink, type ReceivedFile } from "./files/file-reader.ts";
import { SOURCE_FIELDS } from "./source-url.ts";
import { LABEL_FIELDS } from "./upload-labels.schemas.ts";
import { OPTION_FIELDS } from "./upload-options.schemas.ts";

const LIMITS = { maxParts: 100, maxHeaderBytes: 16 * 1024 };
const MAX_FIELD_BYTES = 64 * 1024;
/** Text fields, with the maximum bytes of each. */
const TEXT_FIELDS: ReadonlyMap<string, number> = new Map([
  ["categories", MAX_FIELD_BYTES],
  ["categories[]", MAX_FIELD_BYTES],
  ["redaction_method", MAX_FIELD_BYTES],
  ...OPTION_FIELDS,
  ...LABEL_FIELDS,
  ...SOURCE_FIELDS,
]);
/** Fields that may be sent only once. */
const SINGLE_FIELDS: ReadonlySet<string> = new Set([
  ...OPTION_FIELDS.keys(),
  ...LABEL_FIELDS.keys(),
  ...SOURCE_FIELDS.keys(),
]);
/** Field names in error messages. `categories` is an alias of `categories[]`. */
const KNOWN_FIELDS = [
  "file",
  "categories[]",
  "redaction_method",
  ...OPTION_FIELDS.keys(),
  ...LABEL_FIELDS.keys(),
  ...SOURCE_FIELDS.keys(),
];

/** Fields that name a file outside the form. */
const FILELESS_FIELDS: readonly string[] = ["source_url", "upload_id"];

/** A form as far as it could be read, and the errors found in it, by field. */
export interface ReceivedForm {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly file: ReceivedFile | undefined;
  readonly faults: ReadonlyMap<string, readonly string[]>;
  /** Whether the form was read to its end, so that missing fields are definitely missing. */
  readonly isComplete: boolean;
}

/** Reads an upload's form as it arrives, with its parts in any order. Its file goes to the sink. All errors are collected. */
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
    addFault(this.faults, field, sentence);
  }

  /** Records that all parts have been read. */
  end(): void {
    this.isComplete = true;
    if (this.#filesSeen === 0 && !FILELESS_FIELDS.some((field) => this.fields.has(field)))
      this.addFault("file", "`file` is missing; send the image or video as a form part with a file name.");
  }

  /** Reads one part. Returns false if there is no point in reading the rest of the body. */
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
    // A field that may be sent once is stored once, because many large texts would fill the memory.
    else if (FILELESS_FIELDS.includes(part.name) && this.#filesSeen > 0)
      this.addFault(field, bothSent(field));
    else this.fields.set(part.name, [...earlier, SINGLE_FIELDS.has(field) && earlier.length > 0 ? "" : text]);
    return true;
  }

  async #readFilePart(part: FormPart): Promise<boolean> {
    this.#filesSeen += 1;
    const other = FILELESS_FIELDS.find((field) => this.fields.has(field));
    if (other !== undefined) {
      this.addFault(other, bothSent(other));
      return false;
    }
    if (this.#filesSeen > 1) {
      this.addFault("file", "`file` is sent more than once; send one file per request.");
      return false;
    }
    const nameFault = filenameFault(part.filename);
    if (nameFault !== undefined) this.addFault("file", nameFault);
    const reader = new FileReader({
      field: "file",
      faults: this.faults,
      sink: this.#sink,
      limits: this.#limits,
    });
    const { file, isEnded } = await reader.read(part.filename ?? "", part.body);
    this.file = file;
    return isEnded;
  }
}

function bothSent(field: string): string {
  return `\`${field}\` and \`file\` are both sent; send one of them.`;
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
