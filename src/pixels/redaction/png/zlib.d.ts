/** The part of the runtime's zlib that the PNG codec uses, as workerd and Node have it. */
declare module "node:zlib" {
  interface ZlibStream {
    /** Returns the bytes that wait, or null. */
    read(): Uint8Array | null;
    /** Calls `done` once the bytes are processed and what they gave has been read. */
    write(bytes: Uint8Array, done: () => void): boolean;
    end(): void;
    destroy(): void;
    on(event: "readable" | "end", listener: () => void): void;
    on(event: "error", listener: (error: Error) => void): void;
  }
  interface ZlibStreamOptions {
    readonly chunkSize: number;
    readonly readableHighWaterMark: number;
    readonly level?: number;
    readonly strategy?: number;
    readonly memLevel?: number;
  }
  export function createInflate(options: ZlibStreamOptions): ZlibStream;
  export function createDeflate(options: ZlibStreamOptions): ZlibStream;
  export const constants: { readonly Z_RLE: number; readonly Z_DEFAULT_STRATEGY: number };
  /** Continues a CRC-32 over more bytes (PNG, annex D). Start with 0. */
  export function crc32(bytes: Uint8Array, before?: number): number;
}
