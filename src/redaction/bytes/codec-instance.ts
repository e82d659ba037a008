interface EmscriptenOptions {
  readonly noInitialRun: boolean;
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports;
}

/** Makes a codec that Emscripten has compiled. */
export type CodecFactory<T> = (options: EmscriptenOptions) => Promise<T>;

/** A fresh instance each time: Wasm memory only grows, and one large picture would pin it for the isolate's life. */
export async function instantiateCodec<T>(factory: CodecFactory<T>, wasm: WebAssembly.Module): Promise<T> {
  return await factory({
    noInitialRun: true,
    instantiateWasm(imports, done) {
      const instance = new WebAssembly.Instance(wasm, imports);
      done(instance);
      return instance.exports;
    },
  });
}
