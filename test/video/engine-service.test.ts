import { env } from "cloudflare:workers";
import { describe, expect, inject, test, vi } from "vitest";
import type { ApiEnv } from "../../src/ground/platform/env.ts";
import { videoLimits } from "../../src/intake/uploads/files/measure-file.ts";
import { outputKey } from "../../src/records/media/media.objects.ts";
import type { VideoLimits } from "../../src/work/video/containers/probe.ts";
import { EngineError } from "../../src/work/video/engine/engine.ts";
import { RemoteEngine } from "../../src/work/video/engine/remote-engine.ts";
import { beginQuietly, START_MS } from "../support/quiet-start.ts";
import { AV1S } from "./formats/av1-formats.ts";
import { outcomeOf, redacted, sourceOf } from "./support/outcomes.ts";
import { clipOf, inspectVideo, engineServiceVars, type QueuedVideo } from "./support/video-jobs.ts";

/** A small clip that is too wide for a Worker. */
const WIDE = "wide";

beginQuietly();

async function outputOf(video: QueuedVideo): Promise<Uint8Array> {
  const output = await env.MEDIA.get(outputKey(video));
  return new Uint8Array((await output?.arrayBuffer()) ?? new ArrayBuffer(0));
}

async function countsOf(behaviour: string): Promise<{ runs: number; kills: number }> {
  const { INFERENCE_URL } = engineServiceVars(behaviour);
  return await (await fetch(`${INFERENCE_URL ?? ""}/counts`)).json();
}

test("an inference service that is killed three times within segments changes no byte", async () => {
  const undisturbed = await redacted("MP4", clipOf(WIDE), { engineService: "plain" });
  const expected = await outputOf(undisturbed);
  expect(expected.length).toBeGreaterThan(10_000);

  const video = await redacted("MP4", clipOf(WIDE), { engineService: "killed" });

  // Two segments are analyzed and rendered, and the thumbnail is made by the service too.
  expect(await countsOf("killed")).toEqual({ runs: 8, kills: 3 });
  expect(await outputOf(video)).toEqual(expected);
  expect(await inspectVideo(video)).toEqual(await inspectVideo(undisturbed));
});

describe("an inference service that is not to be trusted", () => {
  test("one that says it is done and has made nothing", async () => {
    expect(await outcomeOf("MP4", clipOf(WIDE), { engineService: "empty" })).toBe(
      "failed: source_undecodable",
    );
  });

  test("one whose answers cannot be read", async () => {
    expect(await outcomeOf("MP4", clipOf(WIDE), { engineService: "garbled" })).toBe("failed: retries_spent");
  });

  test("one that never ends is waited for as long as a run may take", async () => {
    const { INFERENCE_URL: url = "" } = engineServiceVars("endless");
    const size = { width: 64, height: 64 };
    const run = new RemoteEngine(
      { url, token: "a-token-of-the-tests" },
      { id: "a-media", requestId: "req_a" },
    ).run({
      command: { kind: "still", size, rotationDegrees: 0, isFlipped: false },
      inputs: { source: { read: () => new Uint8Array(0) } },
      outputs: { first: { write: () => undefined }, lit: { write: () => undefined } },
      timeoutMs: 500,
    });
    await expect(run).rejects.toMatchObject({ name: EngineError.name, code: "timed_out" });
  });
});

function limitsOf(vars: object): VideoLimits {
  return videoLimits(vars as ApiEnv);
}

describe("what the API knows of an inference service", () => {
  const config = { INFERENCE_URL: "https://media.example", INFERENCE_TOKEN: "a token" };

  test("is asked of it when an AV1 video comes, and believed for a minute", async () => {
    const answers = [["avc", "av1"], ["avc"]];
    const asked = vi.spyOn(globalThis, "fetch").mockImplementation(async () => {
      return Response.json({ codecs: answers.shift() });
    });
    const limits = limitsOf(config);
    expect(asked).toHaveBeenCalledTimes(0);
    expect(await limits.decodesAv1()).toBe(true);
    expect(await limits.decodesAv1()).toBe(true);
    expect(asked.mock.calls).toMatchObject([
      ["https://media.example/v1/abilities", { headers: { authorization: "Bearer a token" } }],
    ]);
    vi.setSystemTime(START_MS + 61_000);
    expect(await limits.decodesAv1()).toBe(false);
  });

  test("is asked again soon when it does not answer, and the job finds out until then", async () => {
    const answers = [new Response("?", { status: 401 }), Response.json({ codecs: ["avc"] })];
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => answers.shift() ?? Response.error());
    const limits = limitsOf({ ...config, INFERENCE_URL: "https://another.example" });
    expect(await limits.decodesAv1()).toBe(true);
    vi.setSystemTime(START_MS + 6000);
    expect(await limits.decodesAv1()).toBe(false);
  });

  test("is nothing where its address or its token is missing, or it takes no videos", async () => {
    for (const without of [
      { INFERENCE_URL: undefined },
      { INFERENCE_TOKEN: undefined },
      { VIDEO_ENGINE: "worker" },
      { INFERENCE_ACCESS_CLIENT_ID: "of Cloudflare Access, in front of which no run fits" },
    ]) {
      const limits = limitsOf({ ...config, ...without });
      expect(limits).toMatchObject({ maxLongSidePixels: 1920, maxShortSidePixels: 1088 });
      expect(await limits.decodesAv1()).toBe(false);
    }
    expect(limitsOf(config)).toMatchObject({ maxLongSidePixels: 3840, maxShortSidePixels: 2160 });
  });
});

describe.skipIf(!inject("decodesAv1"))("AV1", () => {
  const av1 = AV1S.find(({ video }) => video === "AV1");
  async function av1Source(): Promise<Uint8Array<ArrayBuffer>> {
    if (av1 === undefined) throw new Error("There is no AV1.");
    return await sourceOf(av1);
  }

  test("of a service that has lost its decoder fails, and says why", async () => {
    expect(await outcomeOf("MP4", await av1Source(), { engineService: "blind" })).toBe(
      "failed: media_service_missing",
    );
  });

  test("that is none fails, and says why", async () => {
    const lying = clipOf("startsAtOnce");
    const name = new TextEncoder().encode("avc1");
    // The first is a brand, the second the sample entry.
    const found = [...lying.keys()].filter((at) => name.every((byte, index) => lying[at + index] === byte));
    lying.set(new TextEncoder().encode("av01"), found.at(-1));
    expect(await outcomeOf("MP4", lying, { engineService: "plain" })).toBe("failed: engine_failed");
  });

  test("of a service that is gone is tried again and fails in the end", async () => {
    expect(await outcomeOf("MP4", await av1Source(), { engineService: "gone" })).toBe(
      "failed: retries_spent",
    );
  });

  test("without an inference service is refused with advice", async () => {
    expect(await outcomeOf("MP4", await av1Source())).toBe(
      "The video's codec is av1; supported codecs are H.264 and H.265. Export it as H.264.",
    );
  });
});
