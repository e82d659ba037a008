import createLibheif from "libheif-js/libheif-wasm/libheif.js";
import wasm from "libheif-js/libheif-wasm/libheif.wasm?module";
import { damaged, tooLarge, unsupported } from "./picture.ts";

/** The memory that addresses refer to. It moves when it grows. */
interface Libheif {
  readonly HEAPU8: Uint8Array;
  readonly HEAPU32: Uint32Array;
}

/** The functions of libde265 that the decoder calls. */
interface Libde265 {
  malloc(bytes: number): number;
  free(address: number): void;
  de265_new_decoder(): number;
  de265_free_decoder(decoder: number): number;
  /** The timestamp is passed in two 32-bit halves. */
  de265_push_NAL(
    decoder: number,
    data: number,
    length: number,
    timeLow: number,
    timeHigh: number,
    user: number,
  ): number;
  de265_flush_data(decoder: number): number;
  de265_decode(decoder: number, isMore: number): number;
  de265_get_next_picture(decoder: number): number;
  de265_get_chroma_format(picture: number): number;
  de265_get_image_width(picture: number, channel: number): number;
  de265_get_image_height(picture: number, channel: number): number;
  de265_get_bits_per_pixel(picture: number, channel: number): number;
  de265_get_image_plane(picture: number, channel: number, stride: number): number;
  de265_get_image_matrix_coefficients(picture: number): number;
  de265_get_image_full_range_flag(picture: number): number;
}

/** One channel of a decoded picture. Samples of 8 bits have a byte each; deeper ones have two, little-endian. */
export interface HevcPlane {
  readonly width: number;
  readonly height: number;
  readonly bits: number;
  readonly strideBytes: number;
  readonly bytes: Uint8Array;
}

/** A decoded picture: luma, and chroma unless it is gray. It is valid until the decoder's next call. */
export interface HevcPicture {
  readonly planes: readonly HevcPlane[];
  readonly matrix: number;
  readonly isFullRange: boolean;
}

const MOST_HEAP_BYTES = 96 * 1024 * 1024;
const GREY = 0;
/** Most decoder steps for a picture of one frame. A damaged picture must not occupy the decoder forever. */
const MOST_STEPS = 10_000;

/**
 * Decodes still pictures of H.265 (libde265 in libheif's WebAssembly). Each file has its own decoder, so that its memory is released with
 * it.
 */
export class HevcDecoder {
  readonly #lib: Libheif;
  readonly #calls: Libde265;

  constructor() {
    this.#lib = createLibheif({
      instantiateWasm(imports: WebAssembly.Imports, done: (instance: WebAssembly.Instance) => unknown) {
        return done(new WebAssembly.Instance(wasm, imports));
      },
      print: () => undefined,
      printErr: () => undefined,
    }) as Libheif;
    const functions = Object.entries(this.#lib).map(([name, value]: [string, unknown]) => [
      name.slice(1),
      value,
    ]);
    this.#calls = Object.fromEntries(functions) as Libde265;
  }

  /** Decodes one picture from its parameter sets and slices and passes it to `use`. @throws RedactionError */
  decode(units: readonly Uint8Array[], use: (picture: HevcPicture) => void): void {
    const lib = this.#lib;
    const calls = this.#calls;
    const decoder = calls.de265_new_decoder();
    const word = calls.malloc(4);
    try {
      for (const unit of units) {
        const address = calls.malloc(unit.length);
        lib.HEAPU8.set(unit, address);
        calls.de265_push_NAL(decoder, address, unit.length, 0, 0, 0);
        calls.free(address);
      }
      calls.de265_flush_data(decoder);
      for (let steps = 0; steps < MOST_STEPS; steps++) {
        const fault = calls.de265_decode(decoder, word);
        if (lib.HEAPU8.length > MOST_HEAP_BYTES) throw tooLarge("The picture needs too much memory.");
        const picture = calls.de265_get_next_picture(decoder);
        if (picture !== 0) {
          use(this.#read(picture, word));
          return;
        }
        if (fault !== 0 || lib.HEAPU32[word >> 2] === 0) break;
      }
      throw damaged("The picture's data cannot be decoded.");
    } catch (error) {
      if (error instanceof WebAssembly.RuntimeError)
        throw damaged("The picture's data cannot be decoded.", error);
      throw error;
    } finally {
      calls.free(word);
      calls.de265_free_decoder(decoder);
    }
  }

  #read(picture: number, word: number): HevcPicture {
    const lib = this.#lib;
    const calls = this.#calls;
    const channels = calls.de265_get_chroma_format(picture) === GREY ? [0] : [0, 1, 2];
    const planes = channels.map((channel): HevcPlane => {
      const address = calls.de265_get_image_plane(picture, channel, word);
      const strideBytes = lib.HEAPU32[word >> 2] ?? 0;
      const height = calls.de265_get_image_height(picture, channel);
      const bits = calls.de265_get_bits_per_pixel(picture, channel);
      if (bits < 8 || bits > 12) throw unsupported("The picture has too many bits a sample.");
      return {
        width: calls.de265_get_image_width(picture, channel),
        height,
        bits,
        strideBytes,
        bytes: lib.HEAPU8.subarray(address, address + strideBytes * height),
      };
    });
    return {
      planes,
      matrix: calls.de265_get_image_matrix_coefficients(picture),
      isFullRange: calls.de265_get_image_full_range_flag(picture) !== 0,
    };
  }
}
