import { execFile } from "node:child_process";
import { readFile, stat } from "node:fs/promises";
import { promisify } from "node:util";
import { z } from "zod";

const execute = promisify(execFile);
const PROBE_TIMEOUT_MS = 30_000;
const RUN_TIMEOUT_MS = 300_000;

const command = z.array(z.string()).min(1);

const peerSchema = z.object({
  name: z.string(),
  /** Succeeds where the tool is installed. */
  probe: command,
  /** Redacts the file {input} and writes {output}; absent when the tool cannot. */
  photo: command.optional(),
  video: command.optional(),
});

/** Another tool that redacts files, and how it is run. */
export type Peer = z.output<typeof peerSchema>;

/** Reads a file of peers. @throws when it is not what is accepted */
export async function readPeers(file: string): Promise<Peer[]> {
  return z.array(peerSchema).parse(JSON.parse(await readFile(file, "utf8")));
}

/** Whether a tool is installed here. */
export async function isInstalled({ probe: [program = "", ...args] }: Peer): Promise<boolean> {
  return await execute(program, args, { timeout: PROBE_TIMEOUT_MS }).then(
    () => true,
    () => false,
  );
}

/** Runs a tool on one file. @throws when it fails or writes nothing */
export async function runPeer(
  template: readonly string[],
  files: { input: string; output: string },
): Promise<void> {
  const [program = "", ...args] = template.map((part) =>
    part.replace("{input}", files.input).replace("{output}", files.output),
  );
  await execute(program, args, { timeout: RUN_TIMEOUT_MS });
  if ((await stat(files.output)).size === 0) throw new Error(`${program} wrote nothing.`);
}
