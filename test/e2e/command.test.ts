import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, inject, test } from "vitest";
import { VeilClient, VeilMediaError } from "../../packages/client/src/index.ts";
import { openFile, saveDownload } from "../../packages/client/src/node/index.ts";
import { FAILURE_MESSAGES } from "../../src/ground/vocabulary/failures.ts";
import { call } from "./client.ts";
import { loadCodes, pictureWithCodes, readableCodes } from "./pictures.ts";

const execute = promisify(execFile);
const PHOTOS = 20;
/** Not a photo, so it is refused at once. */
const REFUSED = "07.jpg";
/** Its header declares more than the file holds, so it is accepted and then fails. */
const FAILING = "13.webp";

let directory: string;

beforeAll(async () => {
  await loadCodes();
  directory = await mkdtemp(join(tmpdir(), "veil-command-"));
  await mkdir(join(directory, "in/more"), { recursive: true });
  const { picture } = await pictureWithCodes();
  const photo = await picture.resize(480).jpeg({ quality: 90 }).toBuffer();
  for (let number = 1; number <= PHOTOS; number++) {
    const name = String(number).padStart(2, "0");
    if (`${name}.jpg` === REFUSED) await writeFile(join(directory, "in", REFUSED), "a shopping list");
    else if (`${name}.webp` === FAILING)
      await writeFile(join(directory, "in", FAILING), (await picture.webp().toBuffer()).subarray(0, 200));
    else await writeFile(join(directory, number > 18 ? "in/more" : "in", `${name}.jpg`), photo);
  }
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

/** Runs `npx veil` in the folder of the photos. Only `VEIL_DIR` names the local service. */
async function veil(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const env = { PATH: process.env["PATH"], VEIL_DIR: inject("service").directory };
  const command = join(import.meta.dirname, "../../node_modules/.bin/veil");
  return await execute(command, args, { cwd: directory, env }).then(
    (output) => ({ code: 0, ...output }),
    (error: { code: number; stdout: string; stderr: string }) => error,
  );
}

test("the command redacts a folder of 20 files, two of which fail, and says which and why", async () => {
  const { code, stdout, stderr } = await veil(
    "redact",
    "in",
    "-c",
    "qr_codes,barcodes",
    "-o",
    "out",
    "--json",
  );
  expect(code).toBe(1);
  expect(stderr).toContain(`Using the local service at ${inject("service").baseUrl}`);
  expect(stderr).toContain("18 of 20 files redacted, 2 failed.");
  const records = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { input: string; media_id: string | null; error: object | null });
  expect(records).toHaveLength(PHOTOS);
  const faults = Object.fromEntries(records.flatMap(({ input, error }) => (error ? [[input, error]] : [])));
  expect(faults).toEqual({
    [`in/${REFUSED}`]: {
      code: "validation_failed",
      message: expect.stringContaining("Unrecognized file format") as string,
    },
    [`in/${FAILING}`]: {
      code: "failed",
      failure_code: "source_undecodable",
      message: FAILURE_MESSAGES.source_undecodable,
    },
  });
  const outputs = (await readdir(join(directory, "out"), { recursive: true })).filter((name) =>
    name.includes("."),
  );
  expect(outputs).toHaveLength(PHOTOS - 2);
  expect(outputs).toEqual(expect.arrayContaining(["01.jpg", "more/20.jpg"]) as string[]);
  expect(await readableCodes(await readFile(join(directory, "in/01.jpg")))).toBeGreaterThan(0);
  for (const name of ["01.jpg", "more/20.jpg"])
    expect(await readableCodes(await readFile(join(directory, "out", name)))).toBe(0);
});

test("the client does the same, with progress, and lists and deletes what it has made", async () => {
  const client = new VeilClient(inject("service"));
  const sent: number[] = [];
  const media = await client.redact({
    file: await openFile(join(directory, "in/02.jpg")),
    categories: ["qr_codes"],
    method: "pixelation",
    onProgress: ({ sentBytes, totalBytes }) => sent.push(sentBytes / totalBytes),
  });
  expect(sent.at(-1)).toBe(1);
  await saveDownload(client, media.id, join(directory, "client.jpg"));
  expect(await readableCodes(await readFile(join(directory, "client.jpg")))).toBeLessThan(2);

  const failing = client.redact({
    file: await openFile(join(directory, "in", FAILING)),
    categories: ["heads"],
  });
  await expect(failing).rejects.toBeInstanceOf(VeilMediaError);
  const refused = client.redact({
    file: await openFile(join(directory, "in", REFUSED)),
    categories: ["heads"],
  });
  await expect(refused).rejects.toMatchObject({
    status: 422,
    fields: { file: [expect.stringContaining("Unrecognized file format") as string] },
  });

  const names: string[] = [];
  for await (const { filename } of client.listAll({ status: "completed" })) names.push(filename);
  expect(names).toEqual(expect.arrayContaining(["02.jpg", "20.jpg"]) as string[]);
  await client.delete(media.id);
  expect((await call(`/media/${media.id}`)).status).toBe(404);
});
