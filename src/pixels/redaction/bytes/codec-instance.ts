interface EmscriptenOptions {
  readonly noInitialRun: boolean;
  readonly instantiateWasm: (
    imports: WebAssembly.Imports,
    done: (instance: WebAssembly.Instance) => void,
  ) => WebAssembly.Exports;
}

/** Creates an instance of a codec that Emscripten compiled. */
export type CodecFactory<T> = (options: EmscriptenOptions) => Promise<T>;

/** Returns a new instance each time: Wasm memory only grows, so one large picture would pin it for the isolate's life. */
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
