import { registerHooks } from "node:module";

let isAccepting = false;

/** From now on, imports of WebAssembly give a compiled module in this process, as they do in workerd. */
export function acceptWasmModules(): void {
  if (isAccepting) return;
  isAccepting = true;
  registerHooks({
    load(url, context, nextLoad) {
      if (!url.endsWith(".wasm?module")) return nextLoad(url, context);
      const file = JSON.stringify(url.slice(0, -"?module".length));
      const source = `import { readFileSync } from "node:fs";
        export default new WebAssembly.Module(readFileSync(new URL(${file})));`;
      return { format: "module", source, shortCircuit: true };
    },
  });
}
