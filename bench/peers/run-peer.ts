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
  /** A command that succeeds if the tool is installed. */
  probe: command,
  /** A command that redacts the file {input} and writes {output}. Absent if the tool does not support this kind of file. */
  photo: command.optional(),
  video: command.optional(),
});

/** Another tool that redacts files, and the commands that run it. */
export type Peer = z.output<typeof peerSchema>;

/** Reads a file of peers. @throws when the file does not match the schema */
export async function readPeers(file: string): Promise<Peer[]> {
  return z.array(peerSchema).parse(JSON.parse(await readFile(file, "utf8")));
}

/** Tells whether a tool is installed on this machine. */
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
