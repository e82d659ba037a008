import { connect } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { answerOf, errorOf } from "./support/answer.ts";
import { encode, squaresOnBlack } from "./support/pictures.ts";
import { startTestService, TOKEN, type TestService, type TestServiceOptions } from "./support/service.ts";

let service: TestService | undefined;

async function start(options: TestServiceOptions): Promise<TestService> {
  service = await startTestService(options);
  return service;
}

afterEach(async () => {
  await service?.stop();
  service = undefined;
});

async function blackFrame(side: number): Promise<Uint8Array> {
  return encode(squaresOnBlack(side, side, [{ x: 8, y: 8, side: 8 }]), { width: side, height: side });
}

async function metric({ url }: TestService, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const line = text.split("\n").find((row) => row.startsWith(`${name} `) || row.startsWith(`${name}{`));
  return Number(line?.split(" ").at(-1));
}

/** A body that sends its first bytes and then nothing until `end` is called. */
function stalledBody(): { body: ReadableStream<Uint8Array>; end: () => void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode("--x\r\n")),
    pull: async (controller) => {
      await promise;
      controller.close();
    },
  });
  return { body, end: resolve };
}

async function post(
  { url }: TestService,
  body: ReadableStream<Uint8Array>,
  signal?: AbortSignal,
): Promise<Response> {
  return fetch(`${url}/v1/detections`, {
    method: "POST",
    body,
    duplex: "half",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "multipart/form-data; boundary=x" },
    ...(signal && { signal }),
  });
}

describe("a full queue", () => {
  it("sends the next request away with Retry-After, and serves again afterwards", async () => {
    const running = await start({ env: { MAX_REQUESTS: "1" } });
    const stalled = stalledBody();
    const first = post(running, stalled.body);
    await expect.poll(async () => metric(running, "veil_requests_inside")).toBe(1);
    const frame = await blackFrame(64);
    const second = await running.detect({ categories: ["heads"] }, [frame]);
    expect(second.status).toBe(503);
    expect(second.headers.get("retry-after")).toBe("1");
    expect((await errorOf(second)).error.code).toBe("overloaded");
    stalled.end();
    expect((await first).status).toBe(422);
    expect((await running.detect({ categories: ["heads"] }, [frame])).status).toBe(200);
  });

  it("counts the bytes of all bodies", async () => {
    const running = await start({ env: { MAX_BUFFERED_BYTES: "1000" } });
    const response = await running.detect({ categories: ["heads"] }, [new Uint8Array(2000)]);
    expect(response.status).toBe(503);
    expect(await metric(running, "veil_buffered_bytes")).toBe(0);
  });

  it("counts what arrives of a body, not what it declares", async () => {
    const running = await start({ env: { MAX_REQUEST_BYTES: "1000000", MAX_BUFFERED_BYTES: "1000000" } });
    const { hostname, port } = new URL(running.url);
    const idle = Array.from({ length: 4 }, () => {
      const socket = connect(Number(port), hostname);
      socket.write(
        [
          "POST /v1/detections HTTP/1.1",
          `Host: ${hostname}:${port}`,
          `Authorization: Bearer ${TOKEN}`,
          "Content-Type: multipart/form-data; boundary=x",
          "Content-Length: 900000",
          "\r\n",
        ].join("\r\n"),
      );
      return socket;
    });
    try {
      await expect.poll(async () => metric(running, "veil_requests_inside")).toBe(4);
      expect(await metric(running, "veil_buffered_bytes")).toBe(0);
      const answer = await running.detect({ categories: ["heads"] }, [await blackFrame(64)]);
      expect(answer.status).toBe(200);
    } finally {
      for (const socket of idle) socket.destroy();
    }
  });

  it("gives up on a body that does not arrive", async () => {
    const running = await start({ env: { BODY_TIMEOUT_SECONDS: "1" } });
    const stalled = stalledBody();
    const response = await post(running, stalled.body);
    expect(response.status).toBe(422);
    expect((await errorOf(response)).error.message).toContain("1 seconds");
    stalled.end();
  });
});

describe("batches", () => {
  it("are shared by requests, and each gets its own answer", async () => {
    const running = await start({
      env: { BATCH_DELAY_MS: "1000", MAX_FRAMES_IN_WORK: "8", WORKER_THREADS: "1" },
    });
    const before = await metric(running, "veil_batch_views_count");
    const frames = await Promise.all(
      [0, 1, 2, 3].map(async (i) =>
        encode(squaresOnBlack(128, 128, [{ x: 16 * i, y: 64, side: 8 }]), { width: 128, height: 128 }),
      ),
    );
    const answers = await Promise.all(
      [0, 2].map(async (i) =>
        answerOf(await running.detect({ categories: ["heads"] }, frames.slice(i, i + 2))),
      ),
    );
    const lefts = answers.flatMap(({ frames: seen }) => seen.map(({ detections }) => detections[0]?.box[0]));
    expect(lefts).toEqual([0, 0.125, 0.25, 0.375]);
    expect((await metric(running, "veil_batch_views_count")) - before).toBe(1);
  });
});

describe("a caller that hangs up", () => {
  it("while its body is on the way leaves nothing behind", async () => {
    const running = await start({});
    const stalled = stalledBody();
    const caller = new AbortController();
    const request = post(running, stalled.body, caller.signal).catch(() => "aborted");
    await expect.poll(async () => metric(running, "veil_requests_inside")).toBe(1);
    caller.abort();
    expect(await request).toBe("aborted");
    await expect.poll(async () => metric(running, "veil_requests_inside")).toBe(0);
    expect(await metric(running, "veil_buffered_bytes")).toBe(0);
    stalled.end();
  });

  it("while its frames wait abandons them", async () => {
    const running = await start({ env: { MAX_FRAMES_IN_WORK: "1", BATCH_DELAY_MS: "1000" } });
    const looked = await metric(running, "veil_frames_total");
    const frame = await blackFrame(128);
    const caller = new AbortController();
    const request = running
      .detect(
        { categories: ["heads"] },
        Array.from({ length: 20 }, () => frame),
        {
          signal: caller.signal,
        },
      )
      .catch(() => "aborted");
    await expect.poll(async () => metric(running, "veil_queue_frames")).toBe(19);
    caller.abort();
    expect(await request).toBe("aborted");
    await expect.poll(async () => metric(running, "veil_queue_frames")).toBe(0);
    await expect.poll(async () => metric(running, "veil_requests_inside")).toBe(0);
    expect(await metric(running, "veil_frames_total")).toBe(looked);
    expect((await running.detect({ categories: ["heads"] }, [frame])).status).toBe(200);
  });
});
