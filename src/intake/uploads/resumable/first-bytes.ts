import { pixelFault, type FileLimits } from "../files/file-limits.ts";
import { ImageHeaderError } from "../files/header-parser.ts";
import { ImageHeaderReader } from "../files/image-header.ts";
import { SNIFF_BYTES, sniff } from "../files/sniff.ts";
import type { ResumableUpload } from "../../../records/uploads/resumable-upload.repository.ts";
import { isStillFormat, type StillFormat } from "../../../ground/vocabulary/media-values.ts";

/** A file that is refused because of its first bytes. The message is a full sentence for the client. */
export class RefusedFile extends Error {
  override readonly name = "RefusedFile";
}

/** Checks a file as soon as enough of it has arrived to detect its type, so that nobody sends gigabytes in vain. */
export class FirstBytes {
  readonly #lengthBytes: number;
  readonly #limits: FileLimits;
  readonly #bytes: Uint8Array;
  #filledBytes: number;
  #refusal: string | undefined;

  /**
   * @param upload the file; `arrived` holds the beginning that arrived with earlier requests
   * @param limits the limits for pictures, which are lower than those for videos
   */
  constructor(
    { offsetBytes, lengthBytes }: ResumableUpload,
    { arrived, limits }: { readonly arrived: Uint8Array; readonly limits: FileLimits },
  ) {
    this.#lengthBytes = lengthBytes;
    this.#limits = limits;
    this.#bytes = new Uint8Array(Math.min(SNIFF_BYTES, lengthBytes));
    this.#filledBytes = Math.min(offsetBytes, this.#bytes.length);
    // If all of them have arrived, an earlier request has checked them already.
    if (this.#isMissingBytes) this.#bytes.set(arrived.subarray(0, this.#filledBytes));
  }

  /** Why the file is refused, as a full sentence; undefined as long as it is not. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /** Adds the next bytes, and checks the file once there are enough of them. */
  async push(chunk: Uint8Array): Promise<void> {
    if (!this.#isMissingBytes) return;
    const missing = chunk.subarray(0, this.#bytes.length - this.#filledBytes);
    this.#bytes.set(missing, this.#filledBytes);
    this.#filledBytes += missing.length;
    if (!this.#isMissingBytes) this.#refusal = await this.#judge();
  }

  get #isMissingBytes(): boolean {
    return this.#filledBytes < this.#bytes.length;
  }

  async #judge(): Promise<string | undefined> {
    const sniffed = await sniff(this.#bytes);
    if ("refusal" in sniffed) return sniffed.refusal;
    if (!isStillFormat(sniffed.format)) return undefined;
    const { maxFileBytes } = this.#limits;
    if (this.#lengthBytes > maxFileBytes) return pictureTooLarge(this.#lengthBytes, maxFileBytes);
    return this.#headerFault(sniffed.format);
  }

  /** Many headers are complete within the first bytes. Others are checked once the file is complete. */
  #headerFault(format: StillFormat): string | undefined {
    const reader = new ImageHeaderReader(format);
    try {
      reader.push(this.#bytes);
    } catch (error) {
      if (error instanceof ImageHeaderError) return error.message;
      throw error;
    }
    return reader.found && pixelFault(reader.found, format, this.#limits);
  }
}

/** The error message for a picture that exceeds the limit for pictures. */
export function pictureTooLarge(lengthBytes: number, maxImageBytes: number): string {
  return `The file is a picture of ${lengthBytes} bytes; the limit for pictures is ${maxImageBytes} bytes.`;
}
