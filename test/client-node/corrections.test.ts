import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { VeilClient, type Detections } from "../../packages/client/src/index.ts";
import { prepare } from "../../packages/client/src/cli/commands.ts";
import { runVeil } from "./support/run-command.ts";
import {
  ScriptedService,
  answers,
  hangsUp,
  mediaItem,
  refusal,
  type Handler,
} from "./support/scripted-service.ts";

const ID = mediaItem().id;
const CURRENT_ID = "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a12";
const NEW_ID = "019a9c4e-6f1a-7c11-8f8e-000000000000";

let directory: string;
let service: ScriptedService;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "veil-corrections-"));
  service = new ScriptedService();
  await service.start();
});

afterEach(async () => {
  service.stop();
  await rm(directory, { recursive: true, force: true });
});

const detections: Detections = {
  media_id: ID,
  width: 640,
  height: 480,
  duration_seconds: null,
  source_available_until: null,
  revision_of: null,
  detections: [
    {
      id: "det_1",
      category: "heads",
      confidence: 0.873,
      origin: "detector",
      redacted: true,
      box: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 },
    },
    {
      id: "reg_1",
      category: null,
      confidence: null,
      origin: "request",
      redacted: false,
      box: { x: 0, y: 0, width: 1, height: 1 },
    },
  ],
  truncated: true,
};

function completed(id: string): Handler {
  return answers(200, mediaItem({ id, status: "completed" }));
}

const download: Handler = (_request, response) => {
  response.writeHead(200, { "Content-Type": "image/jpeg", "Content-Length": "8" }).end("redacted");
};

/** Runs the command as its users do. */
async function veil(...args: string[]): ReturnType<typeof runVeil> {
  return await runVeil({ directory, service }, ...args);
}

function client(): VeilClient {
  return new VeilClient({ baseUrl: service.baseUrl, apiKey: "veil_k", retry: { firstDelayMs: 1 } });
}

/** The text fields of a form. */
function fieldsOf(form = ""): string[] {
  return [...form.matchAll(/name="(\w+)"\r\n\r\n(.*)\r\n/g)].map(([, name, value]) => `${name} ${value}`);
}

describe("the client", () => {
  test("sends the options that are given, and no others", async () => {
    const forms: string[] = [];
    const take = answers(201, mediaItem(), {}, (body) => forms.push(body.toString()));
    service.script.push(take, take);
    const file = new Blob(["x"]);
    await client().upload({ file, categories: ["heads"] });
    await client().upload({
      file,
      categories: ["heads"],
      minConfidence: { heads: 0.3 },
      regions: [{ box: { x: 0, y: 0, width: 1, height: 1 } }],
      ignoreRegions: [],
      detectOnly: true,
      audio: "mute",
      sensitivity: "high",
    });
    expect(fieldsOf(forms[0])).toEqual([]);
    expect(fieldsOf(forms[1])).toEqual([
      "sensitivity high",
      'min_confidence {"heads":0.3}',
      'regions [{"box":{"x":0,"y":0,"width":1,"height":1}}]',
      "ignore_regions []",
      "detect_only true",
      "audio mute",
    ]);
  });

  test("reads detections, and revises once however often it must be tried", async () => {
    service.script.push(answers(200, detections));
    expect(await client().detections(ID)).toEqual(detections);
    let body = "";
    service.script.push(
      hangsUp,
      answers(503, {}),
      answers(201, mediaItem({ id: NEW_ID }), {}, (sent) => (body = sent.toString())),
    );
    expect(await client().revise(ID, { except: ["det_1"] })).toMatchObject({ id: NEW_ID });
    expect(JSON.parse(body)).toEqual({ except: ["det_1"] });
    const sent = service.requests.slice(1);
    expect(sent.map(({ url }) => url)).toEqual(
      Array.from({ length: 3 }, () => `/api/v1/media/${ID}/revisions`),
    );
    expect(new Set(sent.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
    expect(sent.at(-1)?.headers["content-type"]).toBe("application/json");
  });
});

describe("a revision from the current version", () => {
  const redacted = { ...detections, detections: detections.detections.slice(0, 1) };

  test("goes to that version and keeps what it hides, whichever version is named", async () => {
    let body = "";
    const versions = { first: ID, revision_of: null, superseded_by: CURRENT_ID, current: false };
    service.script.push(
      answers(200, { ...mediaItem({ id: ID }), versions }),
      answers(200, redacted),
      answers(201, mediaItem({ id: NEW_ID }), {}, (sent) => (body = sent.toString())),
    );
    await client().revise(ID, { redact: ["det_9"], except: ["det_2"] }, { fromCurrent: true });
    expect(JSON.parse(body)).toEqual({ redact: ["det_1", "det_9"], except: ["det_2"] });
    expect(service.requests.map(({ url }) => url)).toEqual([
      `/api/v1/media/${ID}?include=versions`,
      `/api/v1/media/${CURRENT_ID}/detections?redacted=true`,
      `/api/v1/media/${CURRENT_ID}/revisions`,
    ]);
  });

  test("is the named one where that is current, also with the command", async () => {
    let body = "";
    const versions = { first: ID, revision_of: null, superseded_by: null, current: true };
    service.script.push(
      answers(200, { ...mediaItem({ id: ID }), versions }),
      answers(200, redacted),
      answers(201, mediaItem({ id: NEW_ID }), {}, (sent) => (body = sent.toString())),
      completed(NEW_ID),
      download,
    );
    const { code } = await veil("revise", ID, "--from-current", "--burn-in-reasons", "-o", "new.jpg");
    expect(code).toBe(0);
    expect(JSON.parse(body)).toMatchObject({ redact: ["det_1"], except: [], burn_in_reasons: true });
    expect(service.requests[2]?.url).toBe(`/api/v1/media/${ID}/revisions`);
  });

  test("cannot be of all or of none", async () => {
    const revision = client().revise(ID, { redact: "all" }, { fromCurrent: true });
    await expect(revision).rejects.toThrow('redact is "all" with fromCurrent');
    expect(service.requests).toEqual([]);
  });
});

describe("veil detect", () => {
  test("analyzes a file and prints its detections", async () => {
    await writeFile(join(directory, "a.jpg"), "source");
    let form = "";
    service.script.push(
      answers(201, mediaItem(), {}, (body) => (form = body.toString())),
      completed(ID),
      answers(200, detections),
    );
    const { code, stdout, stderr } = await veil("detect", "a.jpg", "-c", "heads", "--sensitivity", "high");
    expect(code).toBe(0);
    expect(form).toMatch(/name="detect_only"\r\n\r\ntrue/);
    expect(form).toMatch(/name="sensitivity"\r\n\r\nhigh/);
    expect(stdout).toBe(
      "det_1\theads\t87%\tredacted\t0.1000,0.2000,0.3000,0.4000\nreg_1\t-\tasked for\topen\t0.0000,0.0000,1.0000,1.0000\n",
    );
    expect(stderr).toBe(`2 detections in media ${ID}. More was found than is listed.\n`);
  });

  test("asks for those of a media item, as JSON", async () => {
    service.script.push(answers(200, detections));
    const { code, stdout } = await veil("detect", ID, "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(detections);
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /api/v1/media/${ID}/detections`,
    ]);
  });

  test("lists only the requested detections", async () => {
    service.script.push(answers(200, detections), answers(200, detections), answers(200, detections));
    await veil("detect", ID, "-c", "heads,tattoos", "--only", "open");
    await veil("detect", ID, "--only", "redacted");
    await client().detections(ID, { categories: [] });
    expect(service.requests.map(({ url }) => url)).toEqual([
      `/api/v1/media/${ID}/detections?category=heads&category=tattoos&redacted=false`,
      `/api/v1/media/${ID}/detections?redacted=true`,
      `/api/v1/media/${ID}/detections`,
    ]);
  });

  test("the second reading is read as the API says it", async () => {
    const verification = {
      media_id: ID,
      status: "passed",
      looked_at: { pictures: 1, frames: 0 },
      findings: [],
    };
    service.script.push(answers(200, verification));
    expect(await client().verification(ID)).toEqual(verification);
    expect(service.requests.map(({ method, url }) => `${method} ${url}`)).toEqual([
      `GET /api/v1/media/${ID}/verification`,
    ]);
  });

  test("says why there are none", async () => {
    service.script.push(answers(404, refusal("not_found")));
    expect(await veil("detect", ID)).toEqual({ code: 1, stdout: "", stderr: "It is not_found.\n" });
  });
});

describe("veil revise", () => {
  test("revises a media item and writes the file", async () => {
    let body = "";
    service.script.push(
      answers(201, mediaItem({ id: NEW_ID }), {}, (sent) => (body = sent.toString())),
      completed(NEW_ID),
      download,
    );
    const { code, stdout } = await veil(
      ..."revise --except det_1,det_2 --except det_3 --redact all -m pixelation".split(" "),
      ..."--region 0.1,0.2,0.3,0.4 --region 0,0,1,1@heads -o out.jpg".split(" "),
      ID,
    );
    expect(code).toBe(0);
    expect(stdout).toBe(`${ID} → out.jpg, as media ${NEW_ID}\n`);
    expect(JSON.parse(body)).toEqual({
      redact: "all",
      except: ["det_1", "det_2", "det_3"],
      regions: [
        { box: { x: 0.1, y: 0.2, width: 0.3, height: 0.4 } },
        { box: { x: 0, y: 0, width: 1, height: 1 }, category: "heads" },
      ],
      redaction_method: "pixelation",
    });
    expect(await readFile(join(directory, "out.jpg"), "utf8")).toBe("redacted");
  });

  test("of a video takes times, regions that move and what becomes of the sound", async () => {
    const moving = {
      keyframes: [
        { time_seconds: 0, box: { x: 0, y: 0, width: 0.1, height: 0.1 } },
        { time_seconds: 2.5, box: { x: 0.9, y: 0, width: 0.1, height: 0.1 } },
      ],
    };
    await writeFile(join(directory, "regions.json"), JSON.stringify([moving]));
    let body = "";
    service.script.push(
      answers(201, mediaItem({ id: NEW_ID }), {}, (sent) => (body = sent.toString())),
      completed(NEW_ID),
      download,
    );
    const { code } = await veil(
      ..."revise --redact none --region 0,0,1,1@heads:1.5-4 --region 0,0,0.5,1:0-2".split(" "),
      ..."--regions regions.json --audio mute -o out.mp4".split(" "),
      ID,
    );
    expect(code).toBe(0);
    expect(JSON.parse(body)).toEqual({
      redact: "none",
      except: [],
      regions: [
        { box: { x: 0, y: 0, width: 1, height: 1 }, category: "heads", start_seconds: 1.5, end_seconds: 4 },
        { box: { x: 0, y: 0, width: 0.5, height: 1 }, start_seconds: 0, end_seconds: 2 },
        moving,
      ],
      audio: "mute",
    });
  });

  test("names the file whose regions cannot be read, and asks for nothing", async () => {
    await writeFile(join(directory, "regions.json"), "{}");
    const { code, stderr } = await veil("revise", ID, "--regions", "regions.json", "-o", "out.mp4");
    expect(code).toBe(2);
    expect(stderr).toMatch(/^regions\.json does not hold a JSON list of regions; expected one such as \[/);
    expect(service.requests).toEqual([]);
  });

  test("leaves a file that is there alone and asks for nothing", async () => {
    await writeFile(join(directory, "out.jpg"), "mine");
    const { code, stderr } = await veil("revise", ID, "-o", "out.jpg");
    expect(code).toBe(1);
    expect(stderr).toContain("out.jpg already exists");
    expect(service.requests).toEqual([]);
  });

  test("says what the service refuses", async () => {
    const details = { redact: ["`redact` names x; expected IDs of this media item's detections."] };
    service.script.push(answers(422, refusal("validation_failed", details)));
    const { code, stderr } = await veil("revise", ID, "--redact", "x", "-o", "out.jpg");
    expect(code).toBe(1);
    expect(stderr).toBe(`${details.redact[0]}\n`);
  });
});

test.for([
  ["--verify", "true"],
  ["--no-verify", "false"],
] as const)("veil redact %s says whether the result is read again", async ([option, value]) => {
  await writeFile(join(directory, "a.jpg"), "source");
  let form = "";
  service.script.push(
    answers(201, mediaItem(), {}, (sent) => (form = sent.toString())),
    completed(ID),
    download,
  );
  const { code } = await veil("redact", "a.jpg", "-c", "heads", option);
  expect(code).toBe(0);
  expect(fieldsOf(form)).toContain(`verify ${value}`);
});

test("veil redact --detect-only writes no file and names the media item", async () => {
  await writeFile(join(directory, "a.jpg"), "source");
  service.script.push(answers(201, mediaItem()), completed(ID));
  const { code, stdout } = await veil("redact", "a.jpg", "-c", "heads", "--detect-only");
  expect(code).toBe(0);
  expect(stdout).toMatch(new RegExp(`^a\\.jpg: analyzed, as media ${ID} \\(`));
  expect(service.requests).toHaveLength(2);
});

test.for([
  ["redact", "a.jpg", "-c", "heads", "--verify", "--no-verify"],
  ["detect"],
  ["detect", "a.jpg", "b.jpg", "-c", "heads"],
  ["detect", "a.jpg"],
  ["detect", "a.jpg", "-c", "heads", "--except", "x"],
  ["detect", ID, "--only", "heads"],
  ["detect", ID, "--sensitivity", "high"],
  ["detect", "a.jpg", "-c", "heads", "--sensitivity", "max"],
  ["revise", "a.jpg", "-o", "b.jpg"],
  ["revise", ID],
  ["revise", ID, "-o", "b.jpg", "-c", "heads"],
  ["revise", ID, "-o", "b.jpg", "--region", "1,2,3"],
  ["revise", ID, "-o", "b.mp4", "--region", "0,0,1,1:4-"],
  ["revise", ID, "-o", "b.mp4", "--audio", "loud"],
  ["revise", ID, "-o", "b.jpg", "--region", "0,0,1,wide"],
  ["revise", ID, "-o", "b.jpg", "--region", "0,0,1,1@faces"],
  ["revise", ID, "-o", "b.jpg", "--method", "paint"],
  ["revise", ID, "-o", "b.jpg", "--exept", "x"],
])("%j is told to be wrong before anything is sent", (args) => {
  expect(() => prepare(args, {})).toThrow(/expected|leave out|name the file|for files|lists the options/);
});

describe("veil download", () => {
  test("waits for a media item and writes its file under the name that the service gives it", async () => {
    service.script.push(answers(200, mediaItem({ status: "processing" })), completed(ID), (_, response) => {
      response
        .writeHead(200, {
          "Content-Type": "image/jpeg",
          "Content-Length": "8",
          "Content-Disposition": "attachment; filename*=UTF-8''street.redacted.jpg",
        })
        .end("redacted");
    });
    expect(await veil("download", ID)).toMatchObject({ code: 0, stdout: `${ID} → street.redacted.jpg\n` });
    expect(await readFile(join(directory, "street.redacted.jpg"), "utf8")).toBe("redacted");
  });

  test("keeps a file that exists, says why there is no file, and needs one id", async () => {
    await writeFile(join(directory, "out.jpg"), "kept");
    expect(await veil("download", ID, "-o", "out.jpg")).toMatchObject({
      code: 1,
      stderr: "out.jpg already exists; --force replaces it.\n",
    });
    expect(service.requests).toEqual([]);
    service.script.push(completed(ID), download);
    const forced = await veil("download", ID, "-o", "out.jpg", "--force", "--json");
    expect(JSON.parse(forced.stdout)).toEqual({ media_id: ID, output: "out.jpg" });
    expect(await veil("download", "photo.jpg")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("is not a media ID") as string,
    });
  });
});
