import { spawn } from "node:child_process";
import { join } from "node:path";
import { CLIENT_DIRECTORY } from "../../../scripts/lib/client.ts";
import type { ScriptedService } from "./scripted-service.ts";

/** What a command has printed, and what it ended with. */
interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as its users do, in a folder, with nothing of this process's environment that could lead elsewhere. */
export async function runVeil(
  { directory, service }: { readonly directory: string; readonly service: ScriptedService },
  ...args: readonly string[]
): Promise<Ended> {
  const child = spawn(process.execPath, [join(CLIENT_DIRECTORY, "cli/main.js"), ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"], VEIL_BASE_URL: service.baseUrl, VEIL_API_KEY: "veil_k" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece: Buffer) => (output.stdout += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (output.stderr += piece.toString()));
  return await new Promise((resolve) => {
    child.on("close", (code) => resolve({ code, ...output }));
  });
}
