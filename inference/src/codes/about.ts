import { ZXING_WASM_SHA256, ZXING_WASM_VERSION } from "zxing-wasm/reader";

/** What answers say about the codes reader. */
export const CODE_READER = {
  id: "zxing-wasm",
  version: ZXING_WASM_VERSION,
  sha256: ZXING_WASM_SHA256,
  licence: "MIT AND Apache-2.0",
} as const;
