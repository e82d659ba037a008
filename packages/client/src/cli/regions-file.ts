import { readFile } from "node:fs/promises";
import type { Region } from "../types.ts";
import { shown } from "./inputs.ts";
import { UsageError } from "./option-values.ts";

/** Reads the regions of a JSON file. The service checks each of them. @throws UsageError that names the file */
export async function readRegions(path: string): Promise<Region[]> {
  const text = await readFile(path, "utf8").catch(() => undefined);
  if (text === undefined) throw new UsageError(`--regions is ${shown(path)}, which cannot be read.`);
  try {
    const regions: unknown = JSON.parse(text);
    if (Array.isArray(regions)) return regions as Region[];
  } catch {
    // Invalid JSON gets the same message as JSON that is not a list.
  }
  throw new UsageError(
    `${shown(path)} does not hold a JSON list of regions; expected one such as [{"box": {"x": 0.1, "y": 0.2, "width": 0.3, "height": 0.1}}].`,
  );
}
