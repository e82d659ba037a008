import { findPackageJSON } from "node:module";
import { dirname, join } from "node:path";
import type { Manifest } from "./manifest.ts";

/**
 * The path of a model's network: beside its manifest, or in the npm package that the manifest names.
 * @returns Undefined if that package is not installed. It does not check whether the file exists.
 */
export function networkPath(
  manifestPath: string,
  { file, package: packaged }: Pick<Manifest, "file" | "package">,
): string | undefined {
  if (packaged === undefined) return join(dirname(manifestPath), file);
  const folder = packageFolder(packaged.name);
  return folder === undefined ? undefined : join(folder, packaged.folder, file);
}

function packageFolder(name: string): string | undefined {
  try {
    const description = findPackageJSON(name, import.meta.url);
    return description === undefined ? undefined : dirname(description);
  } catch {
    return undefined;
  }
}
