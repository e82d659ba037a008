import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parseOrder } from "../../packages/client/src/cli/arguments.ts";
import { prepare } from "../../packages/client/src/cli/commands.ts";
import { planOf } from "../../packages/client/src/cli/inputs.ts";
import { findService } from "../../packages/client/src/cli/service.ts";
import { CLIENT_DIRECTORY } from "../../scripts/lib/client.ts";
import {
  ScriptedService,
  answers,
  hangsUp,
  mediaItem,
  refusal,
  statusDetails,
  takesParts,
} from "./support/scripted-service.ts";

/** Far more than the command itself needs. */
const LARGE_BYTES = 600_000_000;
/** Sent in two parts. */
const LARGE_FILE_BYTES = 20_000_000;
const completed = answers(200, mediaItem({ status: "completed" }));

let directory: string;
let service: ScriptedService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-command-"));
  service = new ScriptedService();
  await service.start();
});

afterEach(async () => {
  service.stop();
  await rm(directory, { recursive: true, force: true });
});

async function put(...names: string[]): Promise<void> {
  for (const name of names) {
    await mkdir(join(directory, name, ".."), { recursive: true });
    await writeFile(join(directory, name), `source ${name}`);
  }
}

/** Each file that the paths resolve to with its output path, and the skipped files. */
async function planned(paths: readonly string[], output?: string): Promise<string[]> {
  const { tasks, leftAlone } = await planOf({ paths, output }, directory);
  return [
    ...tasks.map(({ name, outputPath }) => `${name} → ${outputPath.slice(directory.length + 1)}`),
    ...leftAlone.map(({ name, reason }) => `${name}: ${reason}`),
  ];
}

/** The resident memory of a process, if the system reports it. */
function residentKilobytes(pid = 0): number {
  try {
    return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" }));
  } catch {
    return 0;
  }
}

/** Runs the command as users do, without variables of this process that name another service. */
function start(...args: string[]) {
  const child = spawn(process.execPath, [join(CLIENT_DIRECTORY, "cli/main.js"), ...args], {
    cwd: directory,
    env: { PATH: process.env["PATH"], VEIL_BASE_URL: service.baseUrl, VEIL_API_KEY: "veil_k" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const output = { stdout: "", stderr: "" };
  child.stdout.on("data", (piece: Buffer) => (output.stdout += piece.toString()));
  child.stderr.on("data", (piece: Buffer) => (output.stderr += piece.toString()));
  const ended = new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    child.on("close", (code) => resolve({ code, ...output }));
  });
  return { child, ended };
}

/** A download of `content` that declares `sizeBytes` and disconnects early if that is more. */
function downloads(content: string, sizeBytes = content.length) {
  return answersWith(content, { "Content-Type": "image/jpeg", "Content-Length": String(sizeBytes) });
}

function answersWith(content: string, headers: Record<string, string>): ReturnType<typeof answers> {
  return (request, response) => {
    response.writeHead(200, headers).write(content);
    if (Number(headers["Content-Length"]) > content.length) setTimeout(() => request.socket.destroy(), 30);
    else response.end();
  };
}

/** A download for which the service suggests a name. */
function offered(name: string): ReturnType<typeof answers> {
  return answersWith("redacted", {
    "Content-Length": "8",
    "Content-Disposition": `attachment; filename="c.redacted.x"; filename*=UTF-8''${name}`,
  });
}

const redact = ["redact", "a.jpg", "-c", "heads"] as const;

describe("veil redact", () => {
  test("writes the redacted file under its final name once it is whole", async () => {
    await put("a.jpg");
    let form = "";
    service.script.push(
      answers(201, mediaItem(), {}, (body) => (form = body.toString())),
      completed,
      downloads("half", 100),
      downloads("redacted"),
    );
    const { code, stdout } = await start(...redact, "-m", "pixelation", "--json").ended;
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual({
      input: "a.jpg",
      output: "a.redacted.jpg",
      media_id: mediaItem().id,
      duration_seconds: expect.any(Number) as number,
      error: null,
    });
    expect(form).toContain("source a.jpg");
    expect(form).toMatch(/name="redaction_method"\r\n\r\npixelation/);
    expect(await readFile(join(directory, "a.redacted.jpg"), "utf8")).toBe("redacted");
    expect((await readdir(directory)).sort()).toEqual(["a.jpg", "a.redacted.jpg"]);
  });

  test("gives a file the extension of its content, and keeps a name that was given in full", async () => {
    await put("c.mkv", "t.bmp");
    let form = "";
    service.script.push(
      answers(201, mediaItem(), {}, (body) => (form = body.toString())),
      completed,
      offered("..%2F%C3%BC.redacted.mp4"),
    );
    const labels = ["--folder", "case 17", "--external-id", "t-1", "--metadata", "note=a=b"];
    const film = await start("redact", "c.mkv", "-c", "heads", "--json", ...labels).ended;
    expect(JSON.parse(film.stdout)).toMatchObject({ output: "c.redacted.mp4" });
    expect(form).toMatch(/name="folder"\r\n\r\ncase 17/);
    expect(form).toContain('{"note":"a=b","external_id":"t-1"}');
    service.script.push(answers(201, mediaItem()), completed, offered("t.redacted.png"));
    expect((await start("redact", "t.bmp", "-c", "heads", "-o", "out/").ended).code).toBe(0);
    service.script.push(answers(201, mediaItem()), completed, offered("t.redacted.png"));
    expect((await start("redact", "t.bmp", "-c", "heads", "-o", "mine.bmp").ended).code).toBe(0);
    expect((await readdir(directory)).sort()).toEqual([
      "c.mkv",
      "c.redacted.mp4",
      "mine.bmp",
      "out",
      "t.bmp",
    ]);
    expect(await readdir(join(directory, "out"))).toEqual(["t.png"]);
    const again = await start("redact", "c.mkv", "-c", "heads").ended;
    expect(again.stderr).toBe("c.mkv: c.redacted.mp4 already exists; --force replaces it.\n");
    expect(service.script).toEqual([]);
  });

  test("leaves a file that is there alone and sends nothing, unless it is forced", async () => {
    await put("a.jpg", "out.jpg");
    const kept = await start(...redact, "-o", "out.jpg").ended;
    expect(kept).toMatchObject({ code: 1, stderr: "a.jpg: out.jpg already exists; --force replaces it.\n" });
    expect(service.requests).toEqual([]);
    service.script.push(answers(201, mediaItem()), completed, downloads("new"), answers(204, ""));
    expect((await start(...redact, "-o", "out.jpg", "--force", "--delete").ended).code).toBe(0);
    expect(await readFile(join(directory, "out.jpg"), "utf8")).toBe("new");
    expect(service.requests.at(-1)?.method).toBe("DELETE");
  });

  test("goes on where an earlier run stopped: files whose output exists are skipped", async () => {
    await put("a.jpg", "b.mkv", "b.redacted.mp4", "c.jpg", "c.redacted.jpg");
    service.script.push(answers(201, mediaItem()), completed, downloads("redacted"));
    const on = await start("redact", ".", "-c", "heads", "--skip-existing").ended;
    expect(on.code).toBe(0);
    expect(on.stderr).toContain("b.mkv: Skipped. Its redacted file exists.\n");
    expect(on.stderr).toContain("1 of 1 files redacted, 4 skipped.");
    expect(service.requests.filter(({ method }) => method === "POST")).toHaveLength(1);
    const again = await start("redact", "a.jpg", "-c", "heads", "--skip-existing", "--json").ended;
    expect(again.code).toBe(0);
    expect(JSON.parse(again.stdout)).toMatchObject({ input: "a.jpg", error: { code: "output_exists" } });
    expect(await start("redact", "a.jpg", "-c", "heads", "--skip-existing", "-f").ended).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("leave out --force and --detect-only") as string,
    });
    expect(service.script).toEqual([]);
  });

  test("does not write over a file that has come in between", async () => {
    await put("a.jpg");
    service.script.push(answers(201, mediaItem()), completed, async (request, response) => {
      await put("a.redacted.jpg");
      await downloads("redacted")(request, response);
    });
    expect(await start(...redact).ended).toMatchObject({ code: 1 });
    expect(await readFile(join(directory, "a.redacted.jpg"), "utf8")).toBe("source a.redacted.jpg");
    expect((await readdir(directory)).sort()).toEqual(["a.jpg", "a.redacted.jpg"]);
  });

  test("stops at an interruption, removes partial files and deletes their items from the service", async () => {
    await put("a.jpg");
    const { child, ended } = start(...redact);
    service.script.push(
      answers(201, mediaItem()),
      completed,
      (_request, response) => {
        response.writeHead(200, { "Content-Length": "1000" }).write("some");
        setTimeout(() => child.kill("SIGINT"), 200);
      },
      answers(204, ""),
    );
    expect(await ended).toMatchObject({ code: 130, stderr: "a.jpg: Interrupted.\n" });
    expect(await readdir(directory)).toEqual(["a.jpg"]);
    expect(service.requests.at(-1)).toMatchObject({
      method: "DELETE",
      url: `/api/v1/media/${mediaItem().id}`,
    });
  });

  test("ends when its key is refused, and does not try it with every file", async () => {
    await put("a.jpg", "b.jpg", "c.jpg");
    service.script.push(answers(401, refusal("unauthorized")));
    const { code, stderr } = await start("redact", "*.jpg", "-c", "all", "-j", "1").ended;
    expect([code, service.requests.length]).toEqual([3, 1]);
    expect(stderr).toBe("a.jpg: It is unauthorized.\n0 of 3 files redacted, 1 failed, 2 not started.\n");
  });

  test("says why the service could not process a file, and what to do", async () => {
    await put("a.jpg");
    const failure = { code: "worker_lost", message: "It was too large. Make it smaller." } as const;
    const failing = [
      answers(201, mediaItem()),
      answers(200, mediaItem({ status: "failed" })),
      answers(200, statusDetails({ status: "failed", failure })),
    ];
    service.script.push(...failing, ...failing);
    expect(await start(...redact).ended).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "a.jpg: It was too large. Make it smaller.\n",
    });
    const { stdout } = await start(...redact, "--json").ended;
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: "failed", failure_code: failure.code, message: failure.message },
    });
  });

  test("names each file that it leaves alone, and ends with a code of its own", async () => {
    await put("in/a.jpg", "in/b.psd", "in/sub/c.wmv", "in/a.redacted.jpg");
    const order = ["redact", "in", "-c", "heads", "-o", "out", "-f"];
    const good = [answers(201, mediaItem()), completed, downloads("new")];
    service.script.push(...good, ...good);
    const { code, stdout, stderr } = await start(...order).ended;
    expect([code, stdout]).toEqual([4, expect.stringMatching(/^in\/a\.jpg → out\/a\.jpg \(/)]);
    const why = "Skipped. Unsupported extension. To upload it anyway, pass the file's path.";
    expect(stderr).toBe(`in/b.psd: ${why}\nin/sub/c.wmv: ${why}\n1 of 1 files redacted, 3 skipped.\n`);
    const json = await start(...order, "--json", "--quiet").ended;
    const records = json.stdout
      .trim()
      .split("\n")
      .map(
        (line) =>
          JSON.parse(line) as { input: string; output: string | null; error: { code: string } | null },
      );
    expect([json.code, json.stderr]).toEqual([4, ""]);
    expect(records.map(({ input, output, error }) => [input, output, error?.code])).toEqual([
      ["in/a.redacted.jpg", null, "redacted_already"],
      ["in/b.psd", null, "skipped"],
      ["in/sub/c.wmv", null, "skipped"],
      ["in/a.jpg", "out/a.jpg", undefined],
    ]);
  });

  test("keeps the folders inside a folder in the folder that is stored", async () => {
    await put("in/a.jpg", "in/sub/deep/b.jpg");
    const forms: string[] = [];
    for (const name of ["one", "two"]) {
      const keep = (body: Buffer): void => void forms.push(body.toString());
      service.script.push(answers(201, mediaItem(), {}, keep), completed, downloads(name));
    }
    const order = ["redact", "in", "-c", "heads", "-o", "out", "-j", "1", "--folder", "case 17"];
    expect((await start(...order).ended).code).toBe(0);
    const folders = forms.map((form) => /name="folder"\r\n\r\n(.*)\r\n/.exec(form)?.[1]);
    expect(folders).toEqual(["case 17", "case 17/sub/deep"]);
  });

  test("ends well where it leaves its own outputs alone, and badly where a file fails", async () => {
    await put("in/a.jpg", "in/a.redacted.jpg");
    const order = ["redact", "in", "-c", "heads", "-o", "out"];
    service.script.push(answers(201, mediaItem()), completed, downloads("new"));
    expect((await start(...order).ended).code).toBe(0);
    await put("in/b.psd");
    expect((await start(...order).ended).code).toBe(1);
  });

  test("needs no more memory for a larger file", async ({ skip }) => {
    await put("a.jpg");
    await truncate(join(directory, "a.jpg"), LARGE_BYTES);
    service.script.push(
      ...takesParts(service, LARGE_BYTES),
      answers(422, refusal("validation_failed")),
      answers(204, ""),
    );
    const { child, ended } = start(...redact);
    let mostKilobytes = 0;
    const watch = setInterval(() => {
      mostKilobytes = Math.max(mostKilobytes, residentKilobytes(child.pid));
    }, 50);
    expect((await ended).code).toBe(1);
    clearInterval(watch);
    if (mostKilobytes === 0) skip("ps is not installed.");
    expect(mostKilobytes).toBeLessThan(LARGE_BYTES / 1024 / 2);
  });

  test("sends a large file in parts, which continue where they broke off, with all that was asked for", async () => {
    await put("film.mp4");
    await truncate(join(directory, "film.mp4"), LARGE_FILE_BYTES);
    let order = "";
    const [begin, offset, ...parts] = takesParts(service, LARGE_FILE_BYTES);
    if (begin === undefined || offset === undefined) throw new Error("An upload begins with two requests.");
    service.script.push(
      begin,
      offset,
      hangsUp,
      offset,
      ...parts,
      answers(201, mediaItem(), {}, (body) => (order = body.toString())),
      completed,
      downloads("redacted"),
    );
    const { code, stderr } = await start("redact", "film.mp4", "-c", "heads", "--folder", "case 17").ended;
    expect([code, stderr]).toEqual([0, ""]);
    expect(JSON.parse(order)).toEqual({
      upload_id: "upl_1",
      categories: ["heads"],
      redaction_method: "blur",
      folder: "case 17",
    });
    expect(service.requests.map(({ method }) => method)).toEqual([
      "POST",
      "HEAD",
      "PATCH",
      "HEAD",
      "PATCH",
      "PATCH",
      "POST",
      "GET",
      "GET",
    ]);
    expect(service.requests[0]?.headers["upload-length"]).toBe(String(LARGE_FILE_BYTES));
    expect(await readFile(join(directory, "film.redacted.mp4"), "utf8")).toBe("redacted");
  });

  test("deletes what has arrived of a large file that is refused", async () => {
    await put("film.mp4");
    await truncate(join(directory, "film.mp4"), LARGE_FILE_BYTES);
    const refused = answers(422, refusal("validation_failed", { file: ["It is no film."] }));
    service.script.push(...takesParts(service, 0), refused, answers(204, ""));
    const { code, stderr } = await start("redact", "film.mp4", "-c", "heads").ended;
    expect([code, stderr]).toEqual([1, "film.mp4: It is no film.\n"]);
    expect(service.requests.at(-1)?.method).toBe("DELETE");
  });

  test("never writes one file of a run over another, even with --force", async () => {
    await put("c.mkv", "c.mp4");
    service.script.push(answers(201, mediaItem()), completed, offered("c.redacted.mp4"));
    service.script.push(answers(201, mediaItem()), completed, offered("c.redacted.mp4"));
    const { code, stderr } = await start(..."redact c.mp4 c.mkv -c heads --force -j 1".split(" ")).ended;
    expect(code).toBe(1);
    expect(stderr).toContain("c.mkv: c.redacted.mp4 is the output of c.mp4.");
    expect((await readdir(directory)).sort()).toEqual(["c.mkv", "c.mp4", "c.redacted.mp4"]);
  });

  test("shows no control characters of a name", async () => {
    await put("a\u{1b}[31m.jpg");
    service.script.push(answers(422, refusal("validation_failed", { file: ["It is broken."] })));
    expect(await start("redact", ".", "-c", "heads").ended).toMatchObject({
      code: 1,
      stderr: "a\u{fffd}[31m.jpg: It is broken.\n",
    });
  });
});

test.for([
  [["redact", "a.jpg"], "--categories is missing"],
  [["redact", "a.jpg", "-c", "faces"], '--categories is "faces"; expected one of heads, '],
  [["redact", "a.jpg", "-c", "heads", "-m", "melt"], '--method is "melt"; expected one of blur, pixelation.'],
  [["redact", "a.jpg", "-c", "heads", "-j", "0"], '--concurrency is "0"; expected a whole number from 1'],
  [["redact", "-c", "heads"], "No file is given"],
  [
    ["redcat", "a.jpg"],
    'The command is "redcat" (did you mean redact?); expected one of redact, detect, revise, download, ',
  ],
  [["redact", "a.jpg", "--colour"], "--colour is not an option of veil redact.\n"],
  [["list", "a.jpg"], 'takes only options; "a.jpg" is not one.'],
  [["list", "--status", "done"], '--status is "done"; expected one of pending, queued, '],
  [["list", "--limit", "0"], '--limit is "0"; expected a whole number from 1'],
  [["usage", "now"], 'takes only options; "now" is not one.'],
  [["delete"], "No media ID is given"],
  [["delete", "a.jpg"], '"a.jpg" is not a media ID'],
  [["completion"], "is given 0 shells; expected bash, zsh, fish."],
  [["completion", "csh"], 'The shell is "csh"; expected one of bash, zsh, fish.'],
] as const)("the arguments %j are refused", ([args, sentence]) => {
  expect(() => prepare(args, {})).toThrow(sentence);
});

test("categories may be repeated, listed or all, and help needs nothing", () => {
  expect(parseOrder(["a.jpg", "-c", "heads,qr_codes", "-c", "tattoos"], {})?.categories).toEqual([
    "heads",
    "qr_codes",
    "tattoos",
  ]);
  expect(parseOrder(["a.jpg", "-c", "all"], {})?.categories).toHaveLength(13);
  expect(parseOrder(["--help"], {})).toBeUndefined();
});

test("thresholds, regions and sound become options of the upload", () => {
  const sound = ["--audio", "mute", "--mute-range", "1-2.5", "--mute-range", "4-5@tone"];
  const options = ["-c", "heads,screens", "--min-confidence", "heads=0.4", ...sound];
  const order = parseOrder(["a.mp4", ...options, "--region", "0.1,0.2,0.3,0.1@heads:1-2.5"], {});
  expect(order?.masking).toEqual({
    minConfidence: { heads: 0.4 },
    audio: "mute",
    muteRanges: [
      { start_seconds: 1, end_seconds: 2.5, sound: "silence" },
      { start_seconds: 4, end_seconds: 5, sound: "tone" },
    ],
    regions: [
      {
        box: { x: 0.1, y: 0.2, width: 0.3, height: 0.1 },
        category: "heads",
        start_seconds: 1,
        end_seconds: 2.5,
      },
    ],
  });
  expect(parseOrder(["a.jpg", "-c", "all", "--min-confidence", "0.5"], {})?.masking.minConfidence).toBe(0.5);
});

test.each([
  [["redact", "a.jpg", "-c", "haeds"], 'is "haeds" (did you mean heads?)'],
  [["redact", "a.jpg", "-c", "heads", "--sensitivty", "high"], "did you mean --sensitivity?"],
  [["redact", "a.jpg", "-c", "heads", "--sensitivty", "high"], "veil redact --help lists"],
  [["redact", "a.mp4", "-c", "heads", "--mute-range", "2-1"], 'is "2-1"; expected start-end in seconds'],
  [["redct"], "did you mean redact?"],
  [["lst"], "did you mean list?"],
  [["redact", "a.jpg", "-c", "heads", "--min-confidence", "heads=2"], "a value from 0 to 1"],
  [["redact", "a.jpg", "-c", "heads", "--min-confidence", "screens=0.2"], "names screens, but"],
  [["redact", "a.jpg", "-c", "heads", "--region", "10,20,30,40"], "not pixels"],
])("veil %j says what is wrong", (args, sentence) => {
  expect(() => prepare(args, {})).toThrow(sentence);
});

describe("inputs and outputs", () => {
  test("files, folders and globs; folders inside are kept, names that say otherwise left alone", async () => {
    await put("one.JPG", "in/a.jpg", "in/sub/b.mp4", "in/notes.txt", "in/a.redacted.jpg", "in/.hidden.jpg");
    await put("[odd].png");
    await symlink(directory, join(directory, "in/round"));
    expect(await planned(["one.JPG"])).toEqual(["one.JPG → one.redacted.JPG"]);
    expect(await planned(["[odd].png"], "x.png")).toEqual(["[odd].png → x.png"]);
    const left = ["in/a.redacted.jpg: redacted_already", "in/notes.txt: skipped"];
    const below = ["in/a.jpg → out/a.jpg", "in/sub/b.mp4 → out/sub/b.mp4", ...left];
    expect(await planned(["in"], "out")).toEqual(below);
    expect(await planned(["in/**"], "out")).toEqual(below);
    expect(await planned(["in", "in/a.jpg", "one.JPG"], "out/")).toEqual([
      "in/a.jpg → out/a.jpg",
      "in/sub/b.mp4 → out/sub/b.mp4",
      "one.JPG → out/one.JPG",
      ...left,
    ]);
    expect(await planned(["in", "in/notes.txt", "./in/*"], "out/")).toEqual([
      ...below.slice(0, 2),
      "in/notes.txt → out/notes.txt",
      "in/a.redacted.jpg: redacted_already",
    ]);
  });

  test("what cannot be done is said before anything is sent", async () => {
    await put("a.jpg", "in/a.jpg", "empty/notes.txt");
    await expect(planned(["missing.jpg"])).rejects.toThrow("There is no file or folder missing.jpg.");
    await expect(planned(["empty"])).rejects.toThrow(
      "There is no photo or video in empty. Skipped: empty/notes.txt.",
    );
    await expect(planned(["a.jpg", "in/a.jpg"], "out")).rejects.toThrow("would both be written to");
    await expect(planned(["a.jpg", "in/a.jpg"], "a.jpg")).rejects.toThrow('"a.jpg", a file');
    await expect(planned(["a.jpg"], "a.jpg")).rejects.toThrow("would be written over the source");
    await expect(planned(["in"], "in")).rejects.toThrow("would be written over the source");
  });
});

describe("the service", () => {
  const nothing = { baseUrl: undefined, apiKey: undefined, veilDirectory: undefined };

  test("is the one that is named, else one on this machine that a folder above tells of", async () => {
    const named = { ...nothing, baseUrl: "https://veil.example.com", apiKey: "k" };
    expect(await findService(named, directory)).toMatchObject({ baseUrl: named.baseUrl, note: undefined });
    await expect(findService({ ...named, apiKey: undefined }, directory)).rejects.toThrow(
      "The API key is missing",
    );
    await expect(findService({ ...named, baseUrl: undefined }, directory)).rejects.toThrow(
      "The base URL is missing",
    );

    await mkdir(join(directory, ".veil"));
    await mkdir(join(directory, "in"));
    const file = join(directory, ".veil/service.json");
    await writeFile(file, JSON.stringify({ baseUrl: "http://127.0.0.1:1/api/v1", apiKey: "local" }));
    expect(await findService(nothing, join(directory, "in"))).toEqual({
      baseUrl: "http://127.0.0.1:1/api/v1",
      apiKey: "local",
      note: `Using the local service at http://127.0.0.1:1/api/v1 (${file}).`,
    });
  });

  test("is never another machine because a folder says so", async () => {
    await mkdir(join(directory, ".veil"));
    const file = join(directory, ".veil/service.json");
    await writeFile(file, JSON.stringify({ baseUrl: "https://evil.example.com/api/v1", apiKey: "k" }));
    const found = await findService({ ...nothing, veilDirectory: ".veil" }, directory).catch(
      (error: unknown) => error,
    );
    expect(String(found)).toContain("No service was given, and none was found here");
  });
});
