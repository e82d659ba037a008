import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

/** A module of a bundled Worker. */
export type Module = { type: "ESModule" | "CompiledWasm"; path: string; contents: Uint8Array };

/** Returns the bundled Worker and its WebAssembly modules, with the entry point first. */
export async function modulesOf(folder: string): Promise<Module[]> {
  const names = (await readdir(folder)).filter((name) => /\.(js|wasm|wasm\?module)$/u.test(name));
  names.sort((a, b) => Number(b.endsWith(".js")) - Number(a.endsWith(".js")));
  return await Promise.all(
    names.map(async (name) => ({
      type: name.endsWith(".js") ? ("ESModule" as const) : ("CompiledWasm" as const),
      path: name,
      contents: new Uint8Array(await readFile(join(folder, name))),
    })),
  );
}
