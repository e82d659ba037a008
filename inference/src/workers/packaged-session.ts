import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { InferenceSession } from "onnxruntime-node";
import { networkPath } from "../models/network-path.ts";
import { readPackagedNetwork, type PackagedNetwork } from "../models/packaged-network.ts";

/** A loaded packaged network. */
export interface PackagedSession {
  readonly session: InferenceSession;
  readonly manifest: PackagedNetwork;
}

/**
 * Loads a packaged network on one thread of the CPU.
 *
 * @param name what errors call it
 * @throws Error if the manifest is invalid, its package is not installed, or the file's SHA-256 differs from the manifest's
 */
export async function openPackaged(manifestPath: string, name: string): Promise<PackagedSession> {
  const manifest = await readPackagedNetwork(manifestPath);
  const { file, package: packaged, sha256: expected } = manifest;
  const missing = `The ${name} has no file ${file} in the package ${packaged.name}; \`npm ci\` installs it.`;
  const path = networkPath(manifestPath, manifest);
  if (path === undefined) throw new Error(missing);
  const bytes = await readFile(path).catch((error: unknown) => {
    throw new Error(missing, { cause: error });
  });
  const sha256 = createHash("sha256").update(bytes).digest("hex");
  if (sha256 !== expected) {
    throw new Error(
      `The model file ${file} has SHA-256 ${sha256}; its manifest says ${expected}. It is damaged or another version.`,
    );
  }
  const session = await InferenceSession.create(bytes, {
    executionProviders: ["cpu"],
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    logSeverityLevel: 3,
  });
  return { session, manifest };
}
