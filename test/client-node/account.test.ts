import { execFileSync } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VeilClient } from "../../packages/client/src/index.ts";
import { CLIENT_DIRECTORY } from "../../scripts/lib/client.ts";
import { runVeil } from "./support/run-command.ts";
import { ScriptedService, answers, mediaItem, refusal } from "./support/scripted-service.ts";

const ID = mediaItem().id;
const OTHER_ID = "019a9c4e-6f1a-7c11-8f8e-000000000000";
const URL_OF_PHOTO = "https://files.example.com/in/street%20one.jpg?signature=secret";

let directory: string;
let service: ScriptedService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-account-"));
  service = new ScriptedService();
  await service.start();
});

afterEach(async () => {
  service.stop();
  await rm(directory, { recursive: true, force: true });
});

/** Runs the command as its users do. */
async function veil(...args: string[]): ReturnType<typeof runVeil> {
  return await runVeil({ directory, service }, ...args);
}

function page(ids: readonly string[], next: string | null) {
  return answers(200, {
    data: ids.map((id) => mediaItem({ id, filename: "a\u{1b}[31m.jpg" })),
    links: { next },
    meta: {},
  });
}

describe("a URL in the place of a file", () => {
  test("is sent as JSON with every option, and the key of a retry is the same", async () => {
    const bodies: unknown[] = [];
    const record = (body: Buffer): void => void bodies.push(JSON.parse(body.toString()));
    service.script.push(
      answers(503, refusal("internal_error"), {}, record),
      answers(201, mediaItem(), {}, record),
    );
    const client = new VeilClient({
      baseUrl: service.baseUrl,
      apiKey: "veil_k",
      retry: { firstDelayMs: 1 },
    });
    await client.upload({
      sourceUrl: URL_OF_PHOTO,
      filename: "b.jpg",
      categories: ["heads"],
      method: "pixelation",
      minConfidence: { heads: 0.3 },
      detectOnly: true,
      regions: [{ box: { x: 0, y: 0, width: 1, height: 1 } }],
    });
    const body = {
      source_url: URL_OF_PHOTO,
      filename: "b.jpg",
      categories: ["heads"],
      redaction_method: "pixelation",
      min_confidence: { heads: 0.3 },
      detect_only: true,
      regions: [{ box: { x: 0, y: 0, width: 1, height: 1 } }],
    };
    expect(bodies).toEqual([body, body]);
    expect(new Set(service.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(service.requests[0]?.headers["content-type"]).toBe("application/json");
  });

  test("is redacted by the command, which writes a file of its name and shows no signature", async () => {
    let sent = "";
    service.script.push(
      answers(201, mediaItem(), {}, (body) => (sent = body.toString())),
      answers(200, mediaItem({ status: "completed" })),
      (_request, response) =>
        void response.writeHead(200, { "Content-Type": "image/jpeg", "Content-Length": "8" }).end("redacted"),
    );
    const { code, stdout, stderr } = await veil("redact", URL_OF_PHOTO, "-c", "heads");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(
      /^https:\/\/files\.example\.com\/in\/street%20one\.jpg → street one\.redacted\.jpg \(/,
    );
    expect(JSON.parse(sent)).toMatchObject({ source_url: URL_OF_PHOTO });
    expect(await readdir(directory)).toEqual(["street one.redacted.jpg"]);
    expect(await readFile(join(directory, "street one.redacted.jpg"), "utf8")).toBe("redacted");
  });

  test.for(["https://files.example.com/..%2f..%2fetc", "https://files.example.com/"])(
    "%s leads to no other folder",
    async (url) => {
      service.script.push(
        answers(201, mediaItem()),
        answers(200, mediaItem({ status: "completed" })),
        (_request, response) => void response.writeHead(200, { "Content-Length": "1" }).end("r"),
      );
      expect((await veil("redact", url, "-c", "heads")).code).toBe(0);
      expect(await readdir(directory)).toHaveLength(1);
    },
  );
});

describe("veil list", () => {
  test("goes on through pages up to its limit, a line each without control characters", async () => {
    service.script.push(
      page([ID], "https://veil.example.com/api/v1/media?cursor=1_x"),
      page([OTHER_ID, ID], null),
    );
    const { code, stdout } = await veil("list", "--status", "queued", "--limit", "2");
    const rest = "queued\t2026-11-20T13:37:00.000Z\ta\u{fffd}[31m.jpg\n";
    expect([code, stdout]).toEqual([0, `${ID}\t${rest}${OTHER_ID}\t${rest}`]);
    expect(service.requests[0]?.url).toContain("status=queued");
  });

  test("prints the service's own objects as JSON", async () => {
    service.script.push(page([ID], null));
    const { stdout } = await veil("list", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ id: ID, status: "queued" });
  });

  test("says that a key is refused, with the code of it", async () => {
    service.script.push(answers(401, refusal("unauthenticated")));
    expect(await veil("list")).toEqual({ code: 3, stdout: "", stderr: "It is unauthenticated.\n" });
  });
});

test("veil get shows media, and why one failed", async () => {
  const failure = { code: "not_an_image", message: "The file is not an image.", retryable: false };
  service.script.push(answers(200, { ...mediaItem({ status: "failed" }), failure }));
  const { code, stdout } = await veil("get", ID);
  expect([code, stdout.split("\t").slice(0, 2), stdout.endsWith("\tThe file is not an image.\n")]).toEqual([
    0,
    [ID, "failed"],
    true,
  ]);
  expect(service.requests[0]?.url).toContain("include=versions,failure,metadata,request");
});

test("veil get shows the options of the upload", async () => {
  const request = {
    sensitivity: "high",
    min_confidence: null,
    regions: [{ box: { x: 0, y: 0, width: 1, height: 1 } }],
    ignore_regions: [],
    detect_only: true,
    audio: "mute",
  };
  const media = { ...mediaItem({ status: "completed" }), failure: null, request };
  service.script.push(answers(200, media), answers(200, media));
  const { stdout } = await veil("get", ID);
  expect(stdout.split("\t").slice(4)).toEqual([
    "",
    "sensitivity=high regions=1 detect_only=true audio=mute\n",
  ]);
  expect(JSON.parse((await veil("get", ID, "--json")).stdout)).toMatchObject({ request });
  expect(service.requests[0]?.url).toContain("include=versions,failure,metadata,request");
  const labels = { folder: "case 17", metadata: { clerk: "ada" } };
  service.script.push(answers(200, { ...media, request: null, ...labels }));
  expect((await veil("get", ID)).stdout.split("\t").slice(5)).toEqual([
    'folder="case 17" metadata={"clerk":"ada"}\n',
  ]);
});

test("veil deletions reads pages up to its limit, and says what remains", async () => {
  const at = "2026-11-20T13:37:00.000Z";
  const deletion = (id: string, left: number) => ({
    media_id: id,
    deleted_at: at,
    file_name: null,
    deleted_by: { type: "api_key", id: "key_1", name: "Night run" },
    objects_left: left,
    rows_left: 0,
  });
  const next = "https://veil.example.com/api/v1/deletions?cursor=1_x";
  service.script.push(
    answers(200, { checked_at: at, data: [deletion(ID, 0)], links: { next } }),
    answers(200, { checked_at: at, data: [deletion(OTHER_ID, 2), deletion(ID, 0)], links: { next: null } }),
  );
  const { code, stdout } = await veil("deletions", "--limit", "2");
  const rest = `${at}\tNight run\tname not stored\n`;
  expect([code, stdout]).toEqual([
    0,
    `${ID}\tnothing left\t${rest}${OTHER_ID}\t2 stored objects left\t${rest}`,
  ]);
  expect(service.requests[1]?.url).toContain("cursor=1_x");
});

test("veil usage prints what is used and what remains", async () => {
  const usage = {
    plan: "Scale",
    period_start: "2026-11-01",
    period_end: "2026-11-30",
    images: { used: 3, limit: 10 },
    video_minutes: { used: 2.5, limit: null },
  };
  service.script.push(answers(200, usage), answers(200, usage));
  expect((await veil("usage")).stdout).toBe(
    "Plan Scale, 2026-11-01 to 2026-11-30\nImages: 3 of 10 used, 7 left\nVideo minutes: 2.5 used, no limit\n",
  );
  expect(JSON.parse((await veil("usage", "--json")).stdout)).toEqual(usage);
});

test("veil delete goes on after a media item that is not there, and says so", async () => {
  service.script.push(answers(404, refusal("not_found")), answers(204, ""));
  const { code, stdout, stderr } = await veil("delete", OTHER_ID, ID);
  expect([code, stdout, stderr]).toEqual([1, `${ID}: deleted\n`, `${OTHER_ID}: It is not_found.\n`]);
  expect(service.requests.map(({ method }) => method)).toEqual(["DELETE", "DELETE"]);
  service.script.push(answers(404, refusal("not_found")), answers(204, ""));
  const { stdout: records } = await veil("delete", OTHER_ID, ID, "--json");
  const deleted = records
    .trim()
    .split("\n")
    .map((line) => (JSON.parse(line) as { deleted: boolean }).deleted);
  expect(deleted).toEqual([false, true]);
});

describe("veil retry", () => {
  const RETRY_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a99";

  test("names the retry of each failed media item, and goes on after one that cannot be retried", async () => {
    service.script.push(answers(409, refusal("conflict")), answers(201, mediaItem({ id: RETRY_ID })));
    const { code, stdout, stderr } = await veil("retry", OTHER_ID, ID);
    expect([code, stdout, stderr]).toEqual([
      1,
      `${ID} → media ${RETRY_ID}\n`,
      `${OTHER_ID}: It is conflict.\n`,
    ]);
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `POST /api/v1/media/${OTHER_ID}/retry`,
      `POST /api/v1/media/${ID}/retry`,
    ]);
  });

  test("prints JSON, and ends at once where the key is refused", async () => {
    service.script.push(answers(201, mediaItem({ id: RETRY_ID })), answers(409, refusal("conflict")));
    const { stdout } = await veil("retry", ID, OTHER_ID, "--json");
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([
      { media_id: ID, retry_id: RETRY_ID, error: null },
      { media_id: OTHER_ID, retry_id: null, error: { code: "conflict", message: "It is conflict." } },
    ]);
    service.script.push(answers(401, refusal("unauthorized")));
    expect((await veil("retry", ID, OTHER_ID)).code).toBe(3);
    expect(service.requests).toHaveLength(3);
  });

  test("makes one retry however often the client must try", async () => {
    service.script.push(answers(503, {}), answers(201, mediaItem({ id: RETRY_ID })));
    const client = new VeilClient({
      baseUrl: service.baseUrl,
      apiKey: "veil_k",
      retry: { firstDelayMs: 1 },
    });
    expect(await client.retry(ID)).toMatchObject({ id: RETRY_ID });
    expect(new Set(service.requests.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    await client.retry(ID, { idempotencyKey: "mine" }).catch(() => undefined);
    expect(service.requests.at(-1)?.headers["idempotency-key"]).toBe("mine");
  });
});

test("veil --version is the package's, and each command has its help", async () => {
  const { version } = JSON.parse(await readFile(join(CLIENT_DIRECTORY, "../package.json"), "utf8")) as {
    version: string;
  };
  expect((await veil("--version")).stdout).toBe(`${version}\n`);
  const { stdout } = await veil("--help");
  const commands = [...stdout.matchAll(/^ {2}(\w+) {2,}/gm)].map(([, name = ""]) => name);
  expect(commands).toEqual([
    "redact",
    "detect",
    "revise",
    "download",
    "verify",
    "list",
    "get",
    "retry",
    "usage",
    "delete",
    "deletions",
    "completion",
  ]);
  for (const command of commands) {
    const help = await veil(command, "--help");
    expect([help.code, help.stderr]).toEqual([0, ""]);
    expect(help.stdout).toMatch(new RegExp(`^Usage: veil ${command} `));
  }
});

test("the completions for bash complete commands and the options of each", async () => {
  const { stdout } = await veil("completion", "bash");
  const complete = (words: string): string[] =>
    execFileSync(
      "bash",
      [
        "-c",
        `${stdout}\nCOMP_WORDS=(${words}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _veil; printf '%s\\n' "\${COMPREPLY[@]}"`,
      ],
      { encoding: "utf8" },
    )
      .trim()
      .split("\n");
  expect(complete("veil re")).toEqual(["redact", "revise", "retry"]);
  expect(complete("veil redact --cat")).toEqual(["--categories"]);
  expect(complete("veil list --st")).toEqual(["--status"]);
  for (const shell of ["zsh", "fish"]) {
    const script = (await veil("completion", shell)).stdout;
    for (const word of ["redact", "usage", "categories"]) expect(script).toContain(word);
  }
});
