import { readFile } from "node:fs/promises";
import { z } from "zod";

const schema = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9._-]*$/),
  version: z.string().min(1),
  description: z.string().min(1),
  file: z.string().regex(/^[A-Za-z0-9._-]+\.onnx$/),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** The npm package that contains the network, and its folder there. */
  package: z.strictObject({ name: z.string().min(1), folder: z.string().min(1) }),
  licence: z.string().min(1),
  card: z.string().optional(),
});

/** A network that an npm package contains, whose input and output the code knows. */
export type PackagedNetwork = z.output<typeof schema>;

/** Reads the manifest of a packaged network. @throws Error if it is missing or invalid. */
export async function readPackagedNetwork(path: string): Promise<PackagedNetwork> {
  const result = schema.safeParse(JSON.parse(await readFile(path, "utf8")));
  if (result.success) return result.data;
  throw new Error(`The manifest ${path} is not valid: ${z.prettifyError(result.error)}`);
}
