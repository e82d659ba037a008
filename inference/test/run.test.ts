import { spawnSync } from "node:child_process";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { answerRun } from "../src/engine/run.ts";
import { concatBytes } from "../../src/pixels/redaction/bytes/bytes.ts";
import { argumentsFor, engineCommandSchema } from "../../src/work/video/engine/engine-commands.ts";
import type { EngineReport, EngineRun, VideoEngine } from "../../src/work/video/engine/engine.ts";
import { controlRecord, fileRecords, recordHead, recordsOf } from "../../src/work/video/engine/run-stream.ts";
import { paintedSize } from "../../src/work/video/sampling/frame-sizes.ts";
import { Random } from "../../test/support/random.ts";
import { errorOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, TOKEN, type TestService } from "./support/service.ts";

const HAS_FFMPEG = spawnSync("ffmpeg", ["-version"], { stdio: "ignore" }).status === 0;
const SIZE = { width: 2560, height: 1920 };
const FRAMES = 3;
const PACKETS = 1;

function record(channel: number, bytes: Uint8Array): Uint8Array {
  return concatBytes([recordHead(channel, bytes.length), bytes]);
}

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Frames of one grey, as the engine takes packets: uncompressed, in a Matroska file that ffmpeg writes. */
function greyVideo(): Uint8Array {
  const picture = `color=gray:size=${SIZE.width}x${SIZE.height}:rate=25`;
  const args = `-loglevel error -f lavfi -i ${picture} -frames:v ${FRAMES} -c:v mjpeg -f matroska -`.split(
    " ",
  );
  return spawnSync("ffmpeg", args, { maxBuffer: 1e8 }).stdout;
}

const RENDER = {
  command: {
    kind: "render",
    area: { left: 0, top: 0, ...SIZE, codedWidth: SIZE.width, codedHeight: SIZE.height },
    frames: FRAMES,
    leadFrames: 0,
    patches: paintedSize(SIZE),
    h264: { quantiser: 22, isArithmetic: false },
  },
  inputs: ["source", "patches"],
  outputs: ["packets"],
  timeoutMs: 60_000,
};

describe("records of a run", () => {
  it("come apart however they arrive, and tell when they break off", async () => {
    const sent = concatBytes([
      controlRecord({ outputs: [] }),
      record(1, Uint8Array.of(1, 2, 3, 4, 5, 6, 7)),
      record(1, new Uint8Array(0)),
    ]);
    for (const pieceBytes of [1, 3, 5, 1000]) {
      const found: number[] = [];
      let ends = 0;
      for await (const { channel, bytes, isEnd } of recordsOf(inPieces(sent, pieceBytes))) {
        if (channel === 1) found.push(...bytes);
        else expect(JSON.parse(new TextDecoder().decode(bytes))).toEqual({ outputs: [] });
        if (isEnd) ends += 1;
      }
      expect({ found, ends }).toEqual({ found: [1, 2, 3, 4, 5, 6, 7], ends: 1 });
    }
    const broken = async (): Promise<void> => {
      for await (const part of recordsOf(inPieces(sent.subarray(0, -6), 4))) expect(part).toBeDefined();
    };
    await expect(broken()).rejects.toThrow("break off");
  });

  it("tell zeros rather than send them, whatever lies between them", async () => {
    const random = new Random(5);
    for (let round = 0; round < 40; round++) {
      const lengths = Array.from({ length: random.int(1, 12) }, () => random.int(0, 5000));
      const file = concatBytes(
        lengths.map((length, index) => new Uint8Array(length).fill(index % 2 === round % 2 ? 0 : 7)),
      );
      const pieces: Uint8Array[] = [];
      for await (const piece of inPieces(file, random.int(1, 4000))) pieces.push(fileRecords(2, piece));
      const found: Uint8Array[] = [];
      for await (const { channel, bytes, isEnd } of recordsOf(
        inPieces(concatBytes(pieces), random.int(1, 999)),
      )) {
        expect({ channel, isEnd }).toEqual({ channel: 2, isEnd: false });
        found.push(bytes.slice());
      }
      expect(concatBytes(found)).toEqual(file);
    }
    // A frame's patch in which a head is hidden.
    const patch = new Uint8Array(1920 * 1080).fill(9, 800 * 1920, 850 * 1920);
    expect(fileRecords(2, patch).length).toBeLessThan(patch.length / 20);
  });

  it("hold commands of numbers alone, of which no argument names a file", () => {
    expect(engineCommandSchema.safeParse({ ...RENDER.command, area: "1x1 -i /etc/passwd" }).success).toBe(
      false,
    );
    const files = argumentsFor(engineCommandSchema.parse(RENDER.command)).filter((word) => /[/{]/.test(word));
    expect(files).toEqual(["{source}", "{patches}", "{packets}"]);
  });
});

interface Found {
  readonly report: unknown;
  readonly files: readonly string[];
}
/** What an engine's outputs come to when their readers are slow. */
async function answerOf(
  run: object,
  body: readonly Uint8Array[],
  engine: VideoEngine["run"],
): Promise<Found> {
  const sent: Uint8Array[] = [];
  const write = async (bytes: Uint8Array): Promise<void> => {
    await delay(1);
    sent.push(bytes.slice());
  };
  const asked = inPieces(concatBytes([controlRecord(run), ...body]), 1000);
  const { signal } = new AbortController();
  await answerRun({ run: engine, isLocal: true }, asked, { answer: { write }, signal });
  const files = ["", "", ""];
  for await (const { channel, bytes } of recordsOf(inPieces(concatBytes(sent), 7)))
    files[channel] += new TextDecoder().decode(bytes);
  return { report: JSON.parse(files[0] ?? ""), files: files.slice(1) };
}

/** Takes patches until there are no more. */
async function takePatches({ inputs = {} }: EngineRun): Promise<EngineReport> {
  while ((await inputs["patches"]?.read(1000))?.length !== 0);
  return { memoryBytes: 5, logLines: [] };
}

describe("an answer", () => {
  const NO_SOURCE = [recordHead(1, 0)];

  it("keeps outputs apart that are written side by side", async () => {
    const run = { ...RENDER, inputs: ["source"], outputs: ["coarse", "samples"] };
    const found = await answerOf(run, NO_SOURCE, async ({ outputs = {} }) => {
      const writeAll = async (name: string): Promise<void> => {
        for (let index = 0; index < 5; index++)
          await outputs[name]?.write(new TextEncoder().encode(`${name}${index} `));
      };
      await Promise.all([writeAll("coarse"), writeAll("samples")]);
      return { memoryBytes: 5, logLines: [] };
    });
    expect(found).toEqual({
      report: { memoryBytes: 5 },
      files: ["coarse0 coarse1 coarse2 coarse3 coarse4 ", "samples0 samples1 samples2 samples3 samples4 "],
    });
  });

  it("tells a run whose patches break off from one that is done", async () => {
    const body = [...NO_SOURCE, record(2, new Uint8Array(50))];
    await expect(answerOf(RENDER, body, takePatches)).rejects.toThrow("The patches break off.");
  });
});

for (const program of ["native", "wasm"] as const) {
  // `describe.skipIf(…).for(…)` of Vitest 4.1 skips only the first suite.
  describe.skipIf(!HAS_FFMPEG)(`runs with the ${program} engine`, () => {
    let service: TestService;
    beforeAll(async () => {
      service = await startTestService({ env: { FFMPEG: program, MAX_RUNS: "1" } });
    });
    afterAll(async () => service.stop());

    async function metric(name: string): Promise<number> {
      const text = await (await fetch(`${service.url}/metrics`)).text();
      return Number(
        text
          .split("\n")
          .find((line) => line.startsWith(`${name} `))
          ?.split(" ")
          .at(-1),
      );
    }

    async function ask(body: Uint8Array, token = TOKEN): Promise<Response> {
      const headers = { authorization: `Bearer ${token}` };
      return await fetch(`${service.url}/v1/run`, { method: "POST", headers, body: Uint8Array.from(body) });
    }

    it("answers nobody without its token, and nothing that is no run", async () => {
      expect((await fetch(`${service.url}/healthz`)).status).toBe(200);
      expect((await ask(controlRecord(RENDER), "another")).status).toBe(401);
      expect((await ask(Uint8Array.of(1, 2, 3))).status).toBe(422);
      expect((await ask(controlRecord({ ...RENDER, command: { kind: "delete" } }))).status).toBe(422);
      expect((await fetch(`${service.url}/v1/abilities`)).status).toBe(401);
      const headers = { authorization: `Bearer ${TOKEN}` };
      const abilities = await fetch(`${service.url}/v1/abilities`, { headers });
      expect(await abilities.json()).toMatchObject({
        codecs: expect.arrayContaining(["avc", "vp9"]) as string[],
      });
      // The source breaks off.
      expect((await ask(concatBytes([controlRecord(RENDER), record(1, new Uint8Array(9))]))).status).toBe(
        422,
      );
    });

    it("lays patches of half the size over every frame, to the pixel", async () => {
      const { width, height } = paintedSize(SIZE);
      const [luma, chroma] = [width * height, (width / 2) * (height / 2)];
      const patch = new Uint8Array(2 * luma + 2 * chroma).fill(128, luma, luma + 2 * chroma);
      // White over the left quarter.
      for (let y = 0; y < height; y++) {
        patch.fill(235, y * width, y * width + width / 4);
        patch.fill(255, luma + 2 * chroma + y * width, luma + 2 * chroma + y * width + width / 4);
      }
      const body = concatBytes([
        controlRecord(RENDER),
        record(1, greyVideo()),
        recordHead(1, 0),
        ...Array.from({ length: FRAMES }, () => record(2, patch)),
        recordHead(2, 0),
      ]);
      const response = await ask(body);
      expect(response.status).toBe(200);
      const packets: Uint8Array[] = [];
      let report: unknown;
      for await (const { channel, bytes } of recordsOf(
        response.body as unknown as AsyncIterable<Uint8Array>,
      )) {
        if (channel === PACKETS) packets.push(bytes.slice());
        else report = JSON.parse(new TextDecoder().decode(bytes));
      }
      expect(report).toEqual({ memoryBytes: 0 });
      const decode = "-loglevel error -f flv -i - -pix_fmt gray -f rawvideo -".split(" ");
      const shown = spawnSync("ffmpeg", decode, { input: concatBytes(packets), maxBuffer: 1e8 }).stdout;
      expect(shown.length).toBe(FRAMES * SIZE.width * SIZE.height);
      for (let frame = 0; frame < FRAMES; frame++) {
        for (const y of [0, 700, SIZE.height - 1]) {
          const row = shown.subarray((frame * SIZE.height + y) * SIZE.width).subarray(0, SIZE.width);
          const bright = row.map((value) => Number(value > 180));
          expect(bright.lastIndexOf(1)).toBe(SIZE.width / 4 - 1);
          expect(bright.indexOf(0)).toBe(SIZE.width / 4);
        }
      }
    });

    it("says that a source cannot be decoded", async () => {
      const run = { ...RENDER, command: { ...RENDER.command, patches: null }, inputs: ["source"] };
      const body = concatBytes([controlRecord(run), record(1, new Uint8Array(5000)), recordHead(1, 0)]);
      const response = await ask(body);
      const text = await response.text();
      expect(text).toContain('{"error":"failed"}');
    });

    it("lets runs wait for one another, and forgets those that nobody waits for", async () => {
      const run = { ...RENDER, command: { ...RENDER.command, patches: null }, inputs: ["source"] };
      const body = concatBytes([controlRecord(run), record(1, greyVideo()), recordHead(1, 0)]);
      // Its source never comes to an end.
      const stuck = new AbortController();
      const headers = { authorization: `Bearer ${TOKEN}` };
      const endless = new ReadableStream({
        start: (controller) => {
          controller.enqueue(body.slice(0, -5));
        },
      });
      const first = fetch(`${service.url}/v1/run`, {
        method: "POST",
        headers,
        body: endless,
        signal: stuck.signal,
        duplex: "half",
      }).catch(() => "gone");
      await expect.poll(async () => metric("veil_runs_inside")).toBe(1);
      const others = [ask(body), ask(body), ask(body)];
      await expect.poll(async () => metric("veil_queue_runs")).toBe(3);
      // Runs take no places from detections.
      const frame = await encode(squaresOnBlack(64, 64, []), { width: 64, height: 64 });
      expect((await service.detect({ categories: ["heads"] }, [frame])).status).toBe(200);
      stuck.abort();
      expect(await first).toBe("gone");
      const texts = await Promise.all(others.map(async (asked) => await (await asked).text()));
      for (const text of texts) expect(text).toContain('{"memoryBytes":0}');
      await expect.poll(async () => metric('veil_run_seconds_count{outcome="completed"}')).toBeGreaterThan(2);
    });
  });
}

it("a service without an engine has none of its addresses", async () => {
  const service = await startTestService({ env: { FFMPEG: "none" } });
  const headers = { authorization: `Bearer ${TOKEN}` };
  for (const [method, path] of [
    ["POST", "/v1/run"],
    ["GET", "/v1/abilities"],
  ] as const) {
    const response = await fetch(`${service.url}${path}`, { method, headers });
    expect(response.status).toBe(404);
    expect((await errorOf(response)).error.code).toBe("not_found");
  }
  await service.stop();
});
