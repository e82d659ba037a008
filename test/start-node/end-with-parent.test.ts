import { spawn } from "node:child_process";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import { commandOf, signalGroup } from "../../scripts/lib/processes.ts";

const PARENT = `
  import { ChildGroup } from ${JSON.stringify(new URL("../../scripts/lib/processes.ts", import.meta.url).href)};
  const child = new ChildGroup(["--eval", "setInterval(() => undefined, 1000)"], { cwd: "/", env: process.env });
  console.log(child.pid);
  setInterval(() => undefined, 1000);
`;

test("a child of a supervisor that is killed ends", async () => {
  const parent = spawn(process.execPath, ["--input-type=module", "--eval", PARENT], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(parent.stdout, "data")) as [Uint8Array];
  const pid = Number(new TextDecoder().decode(line));
  onTestFinished(() => {
    signalGroup(pid, "SIGKILL");
  });
  expect(commandOf(pid)).toContain("setInterval");
  parent.kill("SIGKILL");
  await expect.poll(() => commandOf(pid) ?? "").not.toContain("setInterval");
});
