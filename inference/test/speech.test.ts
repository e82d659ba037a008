import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leveled } from "../src/speech/level.ts";
import { speechRanges } from "../src/speech/speech-ranges.ts";
import { errorOf } from "./support/answer.ts";
import { startTestService, TOKEN, type TestService } from "./support/service.ts";

const RULE = { from: 0.2, pauseSeconds: 0.3, average: 0.5, averageSeconds: 0.5, marginSeconds: 0.2 };

function rangesOf(probabilities: number[]) {
  return speechRanges(Float32Array.from(probabilities), 0.1, RULE);
}

function quiet(windows: number): number[] {
  return Array.from({ length: windows }, () => 0.01);
}

function loud(windows: number): number[] {
  return Array.from({ length: windows }, () => 0.9);
}

describe("ranges", () => {
  it("reach beyond what was heard, and over short pauses", () => {
    const [range, ...others] = rangesOf([...quiet(10), ...loud(5), ...quiet(2), ...loud(5), ...quiet(10)]);
    expect(others).toEqual([]);
    expect(range?.start).toBeCloseTo(0.8);
    expect(range?.end).toBeCloseTo(2.4);
  });

  it("are two where nobody speaks for longer", () => {
    expect(rangesOf([...loud(6), ...quiet(12), ...loud(6)])).toHaveLength(2);
  });

  it("omit sounds that are too short to be a word", () => {
    expect(rangesOf([...quiet(10), ...loud(2), ...quiet(10)])).toEqual([]);
  });

  it("end with the sound", () => {
    expect(rangesOf(loud(6))[0]).toMatchObject({ start: 0 });
    expect(rangesOf(loud(6))[0]?.end).toBeCloseTo(0.6);
  });
});

function wave(level: number): Int16Array {
  return Int16Array.from({ length: 16_000 }, (_, at) => Math.round(level * 32_767 * Math.sin(at / 7)));
}

function rms(values: Float32Array): number {
  return Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
}

it("loud and quiet samples come to one level", () => {
  const options = { windowSamples: 512, samplesPerSecond: 16_000 };
  const levels = [0.9, 0.02].map((level) => rms(leveled(wave(level), options)));
  expect((levels[0] ?? 0) / (levels[1] ?? 1)).toBeCloseTo(1, 1);
  expect(leveled(new Int16Array(600), options).every((value) => value === 0)).toBe(true);
});

describe("POST /v1/speech", () => {
  let service: TestService;
  beforeAll(async () => {
    service = await startTestService({ env: { MAX_REQUEST_BYTES: "200000" } });
  });
  afterAll(async () => service.stop());

  const ask = async (
    body: Uint8Array<ArrayBuffer>,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    await fetch(`${service.url}/v1/speech`, {
      method: "POST",
      body,
      headers: {
        authorization: `Bearer ${TOKEN}`,
        "content-type": "application/octet-stream",
        ...headers,
      },
    });

  it("finds nothing in silence and in a tone, and names its model", async () => {
    const tone = Int16Array.from({ length: 64_000 }, (_, at) => Math.round(9000 * Math.sin(at / 5)));
    for (const samples of [new Int16Array(64_000), tone]) {
      const response = await ask(new Uint8Array(samples.buffer));
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        speech: [],
        models: [
          { id: "silero-vad", version: "5", sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as string },
        ],
      });
    }
    const metrics = await (await fetch(`${service.url}/metrics`)).text();
    expect(metrics).toContain("veil_heard_seconds_total 8");
  });

  it("refuses data that is no sound, says why, and needs the token", async () => {
    const odd = await ask(new Uint8Array(3));
    expect(odd.status).toBe(422);
    expect((await errorOf(odd)).error.message).toBe(
      "The body has 3 bytes; expected 16-bit samples of one channel at 16000 a second.",
    );
    expect((await ask(new Uint8Array(0))).status).toBe(422);
    expect((await ask(new Uint8Array(4), { "content-type": "audio/wav" })).status).toBe(422);
    expect((await ask(new Uint8Array(300_000))).status).toBe(413);
    expect((await ask(new Uint8Array(4), { authorization: "Bearer wrong" })).status).toBe(401);
  });
});
