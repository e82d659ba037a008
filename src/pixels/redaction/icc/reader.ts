/** Why a profile is dropped. This error never leaves the `icc` folder. */
export class ProfileError extends Error {
  override readonly name = "ProfileError";
}

/** Reads big-endian numbers of a profile or a part of it (ICC.1:2022, 4). Reading past the end throws {@link ProfileError}. */
export class ProfileReader {
  readonly sizeBytes: number;
  readonly #view: DataView;

  constructor(view: DataView) {
    this.#view = view;
    this.sizeBytes = view.byteLength;
  }

  /** The `sizeBytes` bytes from `at`, or all bytes up to the end. */
  part(at: number, sizeBytes = this.sizeBytes - at): ProfileReader {
    this.#expect(at, sizeBytes);
    return new ProfileReader(new DataView(this.#view.buffer, this.#view.byteOffset + at, sizeBytes));
  }

  uint8(at: number): number {
    this.#expect(at, 1);
    return this.#view.getUint8(at);
  }

  uint16(at: number): number {
    this.#expect(at, 2);
    return this.#view.getUint16(at);
  }

  uint32(at: number): number {
    this.#expect(at, 4);
    return this.#view.getUint32(at);
  }

  /** A four-letter signature. */
  signature(at: number): string {
    return String.fromCharCode(...this.uint8s(at, 4));
  }

  uint8s(at: number, count: number): Uint8Array {
    this.#expect(at, count);
    const { buffer, byteOffset } = this.#view;
    return new Uint8Array(buffer, byteOffset + at, count).slice();
  }

  uint16s(at: number, count: number): Uint16Array {
    this.#expect(at, 2 * count);
    const values = new Uint16Array(count);
    for (let index = 0; index < count; index++) values[index] = this.#view.getUint16(at + 2 * index);
    return values;
  }

  /** Fixed-point numbers (s15Fixed16Number) as integers, in units of 1/65,536. */
  fixed32s(at: number, count: number): Int32Array {
    this.#expect(at, 4 * count);
    const values = new Int32Array(count);
    for (let index = 0; index < count; index++) values[index] = this.#view.getInt32(at + 4 * index);
    return values;
  }

  #expect(at: number, sizeBytes: number): void {
    if (at < 0 || sizeBytes < 0 || at + sizeBytes > this.sizeBytes) {
      throw new ProfileError("The profile is cut off.");
    }
  }
}
