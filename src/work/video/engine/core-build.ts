/**
 * The build of `@ffmpeg/core` that the engine runs. Its exports have minified names, which change with every build.
 * `test/video-node/core-build.test.ts` compares this table with the installed package.
 */
export const CORE_BUILD = {
  /** SHA-256 of `dist/esm/ffmpeg-core.js`. */
  scriptSha256: "67a48f11645f85439f3fde4f2119042c16b374b910206b7a7a24f342e28dcae3",
  /** SHA-256 of `dist/esm/ffmpeg-core.wasm`. */
  wasmSha256: "9f57947a5bd530d8f00c5b3f2cb2a3492faa7e5d823315342d6a8656d0a6b7b7",
  exports: { ffmpeg: "ya" },
} as const;
