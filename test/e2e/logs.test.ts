import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { beforeAll, expect, inject, onTestFailed, test } from "vitest";
import { admin } from "./admin.ts";
import { call, ended, upload } from "./client.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";
import { describe as describeService } from "./running-service.ts";

const FILENAME = "Maria-Musterfrau-Reisepass.jpg";
const IDEMPOTENCY_KEY = "order-4711-of-maria";

type Line = Readonly<Record<string, unknown>>;

beforeAll(loadCodes);

async function logs(): Promise<{ text: string; lines: Line[] }> {
  const { directory } = inject("service");
  const files = await Promise.all(
    ["workers.log", "inference.log"].map(async (name) => await readFile(join(directory, name), "utf8")),
  );
  const text = files.join("\n");
  // The last line may be incomplete.
  const whole = files.map((file) => file.slice(0, file.lastIndexOf("\n") + 1)).join("");
  const lines = whole.split("\n").flatMap((line) => {
    return line.includes('"event"') ? [JSON.parse(line) as Line] : [];
  });
  return { text, lines };
}

test("an upload is one event a request, look, job and delivery, and none of them tells what it is about", async () => {
  let received = 0;
  const receiver = createServer((request, response) => {
    request.resume().on("end", () => {
      received += 1;
      response.writeHead(204).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
  const { port } = receiver.address() as AddressInfo;
  const webhook = await admin<{ endpointId: string; secret: string }>(
    "webhook",
    "create",
    "--url",
    `http://127.0.0.1:${port}/a-path-that-is-a-secret`,
  );
  onTestFailed(async () => {
    await admin("webhook", "delete", "--endpoint", webhook.endpointId).catch(() => undefined);
  });
  const { picture } = await pictureWithCodes();
  const file = new Uint8Array(await picture.jpeg().toBuffer());
  const media = await upload(file, { filename: FILENAME, categories: ["qr_codes"] });
  await ended(media);
  await call(`/media/${media.id}/download`);
  await call("/media", { method: "POST", headers: { "Idempotency-Key": IDEMPOTENCY_KEY } });
  await expect
    .poll(async () => {
      const { lines } = await logs();
      return lines.filter(({ mediaId }) => mediaId === media.id).map(({ event }) => event);
    })
    .toEqual(expect.arrayContaining(["request", "image_job", "inference_call", "webhook_attempt"]));
  await admin("webhook", "delete", "--endpoint", webhook.endpointId);
  receiver.closeAllConnections();
  receiver.close();
  expect(received).toBe(1);

  const { text, lines } = await logs();
  const about = lines.filter(({ mediaId }) => mediaId === media.id);
  const uploads = about.filter(({ event, status }) => event === "request" && status === 201);
  expect(uploads).toHaveLength(1);
  const { requestId, accountId } = uploads[0] ?? {};
  const ms = expect.any(Number) as number;
  const common = { requestId, accountId, mediaId: media.id, durationMs: ms };
  expect(uploads[0]).toMatchObject({
    ...common,
    format: "jpeg",
    sizeBytes: file.length,
    authenticationMs: ms,
    rateLimitMs: ms,
    receiveMs: ms,
    validateMs: ms,
    acceptMs: ms,
    enqueueMs: ms,
  });
  const only = (name: string) => about.filter(({ event }) => event === name);
  const look = { ...common, outcome: "answered", frames: 1 };
  // The second call is for the output.
  expect(only("inference_call")).toEqual([
    expect.objectContaining({ ...look, sizeBytes: file.length }),
    expect.objectContaining(look),
  ]);
  expect(only("image_job")).toEqual([
    expect.objectContaining({
      ...common,
      outcome: "completed",
      attempts: 1,
      detectionMs: ms,
      redactionMs: ms,
    }),
  ]);
  expect(only("webhook_attempt")).toEqual([
    expect.objectContaining({ ...common, outcome: "delivered", attempts: 1, endpointId: webhook.endpointId }),
  ]);
  expect(lines.filter(({ event, requestId: id }) => event === "detections" && id === requestId)).toHaveLength(
    2,
  );

  const all = text.split("\n").filter((line) => line !== "");
  // The last line may be incomplete.
  for (const line of all.slice(0, -1).filter((one) => one.endsWith("}"))) {
    expect(JSON.parse(line)).toMatchObject({
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/) as string,
      level: expect.stringMatching(/^(?:info|warn|error)$/) as string,
      event: expect.any(String) as string,
    });
    expect(line).not.toMatch(/"(?:request_id|media_id|seconds|err|msg)":/);
  }

  const { directory } = inject("service");
  const { apiKey, inferenceToken, signInUrl } = await describeService(directory);
  const secrets = JSON.parse(await readFile(join(directory, "secrets.json"), "utf8")) as Record<
    string,
    string
  >;
  const forbidden = {
    filename: "Musterfrau",
    idempotencyKey: IDEMPOTENCY_KEY,
    webhookUrl: "a-path-that-is-a-secret",
    webhookSecret: webhook.secret,
    signInToken: new URL(signInUrl).searchParams.get("token") ?? "",
    apiKey,
    inferenceToken,
    ...secrets,
  };
  for (const [name, value] of Object.entries(forbidden)) {
    expect(value.length).toBeGreaterThan(8);
    expect([name, text.includes(value)]).toEqual([name, false]);
  }
});
