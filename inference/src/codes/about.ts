import { ZXING_WASM_SHA256, ZXING_WASM_VERSION } from "zxing-wasm/reader";

/** The codes reader's entry in the list of models of an answer. */
export const CODE_READER = {
  id: "zxing-wasm",
  version: ZXING_WASM_VERSION,
  sha256: ZXING_WASM_SHA256,
  licence: "MIT AND Apache-2.0",
} as const;
