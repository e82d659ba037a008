import { once } from "node:events";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { ChildGroup, freePort } from "../../scripts/lib/processes.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

/** A media service that runs in a process of its own. */
export interface MediaServiceProcess {
  readonly port: number;
  readonly child: ChildGroup;
}

/** Starts the media service with one of its engines. @throws when it ends instead of listening */
export async function startMediaService(
  engine: "native" | "wasm" | "auto",
  token: string,
): Promise<MediaServiceProcess> {
  const port = await freePort();
  const child = new ChildGroup(["--experimental-wasm-jspi", join(ROOT, "engine/src/main.ts")], {
    cwd: ROOT,
    env: {
      ...process.env,
      HOST: "127.0.0.1",
      PORT: String(port),
      MEDIA_SERVICE_TOKEN: token,
      MEDIA_SERVICE_ENGINE: engine,
    },
  });
  const { stdout, stderr } = child.process;
  if (stdout === null || stderr === null) throw new Error("The media service has no output.");
  stderr.pipe(process.stderr);
  const lines = createInterface({ input: stdout });
  // Its first line says that it listens.
  const isListening = await Promise.race([
    once(lines, "line").then(() => true),
    child.ended.then(() => false),
  ]);
  if (!isListening) throw new Error("The media service ended at its start.");
  return { port, child };
}
