declare module "@ffmpeg/core" {
  const createCore: (options: object) => Promise<unknown>;
  export default createCore;
}
declare module "*/ffmpeg-core.wasm" {
  const module: WebAssembly.Module;
  export default module;
}
