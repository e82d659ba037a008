declare module "libheif-js/libheif-wasm/libheif.js" {
  const createLibheif: (options: object) => unknown;
  export default createLibheif;
}
declare module "libheif-js/libheif-wasm/libheif.wasm?module" {
  const module: WebAssembly.Module;
  export default module;
}
