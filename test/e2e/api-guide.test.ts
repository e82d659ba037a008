import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import sharp from "sharp";
import { afterAll, beforeAll, expect, inject, test, vi } from "vitest";
import { NO_PYTHON, findPython, runPython } from "../node-support/python.ts";
import { call } from "./client.ts";

const execute = promisify(execFile);
let directory: string;
let page: string;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-guide-"));
  page = await readPage("api-guide");
  const photo = sharp({ create: { width: 320, height: 240, channels: 3, background: "#7fa7b5" } });
  await photo.jpeg().toFile(join(directory, "photo.jpg"));
});

afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
});

async function readPage(name: string): Promise<string> {
  return await readFile(join(import.meta.dirname, `../../docs/${name}.md`), "utf8");
}

/** The code of a page in one language, in the order in which it is to be run. */
function codeOf(language: string, text = page): string {
  const blocks = [...text.matchAll(/^```(\w+)\n(.*?)^```$/gms)].filter(([, tag]) => tag === language);
  return blocks.map(([, , code = ""]) => code).join("");
}

/** A part of a page, from its heading to the next one of that kind. */
function partOf(heading: string, text = page): string {
  const [, part = ""] = text.split(`\n## ${heading}\n`);
  return part.split("\n## ")[0] ?? "";
}

async function run(program: string, ...args: string[]): Promise<string> {
  const { baseUrl, apiKey } = inject("service");
  const env = { ...process.env, VEIL_BASE_URL: baseUrl, VEIL_API_KEY: apiKey };
  return (await execute(program, args, { cwd: directory, env })).stdout;
}

async function hasTool(name: string): Promise<boolean> {
  return await execute(name, ["--version"]).then(
    () => true,
    () => false,
  );
}

/** How many images count in this period, and how many media there are. */
async function counts(): Promise<[used: number, listed: number]> {
  const usage = (await (await call("/usage")).json()) as { images: { used: number } };
  const list = (await (await call("/media")).json()) as { pagination: { total: number } };
  return [usage.images.used, list.pagination.total];
}

/** Runs an example that must count as one image and leave no media behind. */
async function expectOnePhoto(work: () => Promise<void>): Promise<void> {
  const [usedBefore, listedBefore] = await counts();
  await rm(join(directory, "redacted.jpg"), { force: true });
  await work();
  expect(await sharp(join(directory, "redacted.jpg")).metadata()).toMatchObject({
    format: "jpeg",
    width: 320,
    height: 240,
  });
  expect(await counts()).toEqual([usedBefore + 1, listedBefore]);
}

test("the lines of curl send a photo in parts, and make a media item of it", async ({ skip }) => {
  if (!(await hasTool("curl"))) skip("curl is not installed.");
  const [usedBefore, listedBefore] = await counts();
  const answer = await run("bash", "-euo", "pipefail", "-c", codeOf("sh", partOf("Large files")));
  const { id, filename } = JSON.parse(answer) as { id: string; filename: string };
  expect(filename).toBe("photo.jpg");
  await vi.waitFor(async () => expect(await counts()).toEqual([usedBefore + 1, listedBefore + 1]), {
    timeout: 60_000,
    interval: 200,
  });
  await call(`/media/${id}`, { method: "DELETE" });
});

test("the lines of curl find a media item by what its upload said of it", async ({ skip }) => {
  if (!(await hasTool("curl"))) skip("curl is not installed.");
  const answer = await run("bash", "-euo", "pipefail", "-c", codeOf("sh", partOf("Finding media again")));
  const [uploaded = "", found = ""] = answer.split(/(?<=\})(?=\{)/);
  const { id } = JSON.parse(uploaded) as { id: string };
  const { data } = JSON.parse(found) as { data: { id: string; folder: string }[] };
  expect(data).toEqual([expect.objectContaining({ id, folder: "case 17/photos" })]);
  await vi.waitFor(async () => expect((await call(`/media/${id}`, { method: "DELETE" })).status).toBe(204), {
    timeout: 60_000,
    interval: 200,
  });
});

test("the lines of curl redact a photo, and leave nothing behind", async ({ skip }) => {
  if (!(await hasTool("curl"))) skip("curl is not installed.");
  const others = ["By URL", "Large files", "Finding media again"].map((heading) => partOf(heading));
  const own = others.reduce((text, part) => text.replace(part, ""), page);
  const lines = codeOf("sh", own).replaceAll(/^export .*\n/gm, "");
  await expectOnePhoto(async () => {
    const output = await run("sh", "-ec", lines);
    expect(output).toContain('"pagination":');
    expect(output).toContain('"video_minutes":');
  });
});

test("the lines of curl that name a URL have the service fetch it", async ({ skip }) => {
  if (!(await hasTool("curl"))) skip("curl is not installed.");
  const photo = await readFile(join(directory, "photo.jpg"));
  const server = createServer((_, response) => response.end(photo)).listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The server has no port.");
    const lines = codeOf("sh", partOf("By URL"));
    expect(lines).toContain("https://files.example.com/");
    const local = lines.replace("https://files.example.com", `http://127.0.0.1:${address.port}`);
    const media = JSON.parse(await run("sh", "-ec", local)) as { id: string };
    expect(media).toMatchObject({ filename: "street.jpg", file_size_bytes: photo.length });
    expect((await call(`/media/${media.id}`, { method: "DELETE" })).status).toBe(204);
  } finally {
    server.close();
  }
});

test("the lines of curl that correct a photo do so, and leave nothing behind", async ({ skip }) => {
  if (!(await hasTool("curl"))) skip("curl is not installed.");
  const text = await readPage("corrections");
  const lines = codeOf("sh", text.slice(text.indexOf("## With the API"))).replaceAll(/^export .*\n/gm, "");
  await expectOnePhoto(async () => {
    expect(await run("sh", "-ec", lines)).toContain('"detections":');
  });
});

test("the Python program redacts a photo, leaves nothing behind, and says what is wrong", async ({
  skip,
}) => {
  if (!(await hasTool("python3"))) skip("python3 is not installed.");
  const file = join(directory, "guide.py");
  await writeFile(file, codeOf("python", partOf("Python without any package")));
  await expectOnePhoto(async () => {
    await run("python3", file);
  });
  const wrong = run("python3", "-c", "import guide; guide.upload('guide.py', ['faces'])");
  await expect(wrong).rejects.toThrow(/validation_failed: .*'categories'.*'file'|'file'.*'categories'/s);
});

test.for([
  ["api-guide", "Python"],
  ["corrections", "In Python"],
] as const)(
  "the Python client does what %s says, and leaves nothing behind",
  async ([name, heading], { skip }) => {
    const python = await findPython();
    if (python === undefined) return skip(NO_PYTHON);
    const file = join(directory, "example.py");
    const text = await readPage(name);
    await writeFile(
      file,
      `import os\nos.chdir(os.path.dirname(__file__))\n${codeOf("python", partOf(heading, text))}`,
    );
    const { baseUrl, apiKey } = inject("service");
    await expectOnePhoto(async () => {
      await runPython(python, [file], { VEIL_BASE_URL: baseUrl, VEIL_API_KEY: apiKey });
    });
  },
);
