import { createHmac } from "node:crypto";
import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, beforeAll, expect, inject, onTestFailed, test } from "vitest";
import { admin } from "./admin.ts";
import { call, ended, upload } from "./client.ts";
import { loadCodes, pictureWithCodes } from "./pictures.ts";

const requests: { atMs: number; headers: IncomingHttpHeaders; body: string }[] = [];
let receiver: Server;

interface Event {
  readonly id: string;
  readonly event: string;
  readonly media_id: string;
  readonly media: { readonly download_url?: string } | null;
}

beforeAll(async () => {
  await loadCodes();
  receiver = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
    request.on("end", () => {
      requests.push({ atMs: Date.now(), headers: request.headers, body });
      response.writeHead(requests.length === 1 ? 500 : 204).end();
    });
  });
  receiver.listen(0, "127.0.0.1");
  await once(receiver, "listening");
});

afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});

async function eventOf(index: number): Promise<Event> {
  await expect.poll(() => requests.length).toBeGreaterThan(index);
  return JSON.parse(requests[index]?.body ?? "") as Event;
}

test("a photo's events arrive signed at an endpoint that an operator has made, again after a failure", async () => {
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const made = await admin<{ endpointId: string; secret: string }>("webhook", "create", `--url=${url}`);
  const { endpointId, secret } = made;
  onTestFailed(async () => {
    await refused("webhook", "delete", "--endpoint", endpointId);
  });
  expect(secret).toMatch(/^whsec_/);
  expect(await admin("webhook", "list")).toMatchObject([{ endpointId, url, disabledAt: null }]);

  const photo = new Uint8Array(await (await pictureWithCodes()).picture.jpeg().toBuffer());
  const media = await ended(await upload(photo, { filename: "a.jpg", categories: ["qr_codes"] }));
  const first = await eventOf(0);
  const again = await eventOf(1);
  expect(again).toEqual(first);
  expect(first).toMatchObject({ event: "media.processed", media_id: media.id });
  expect(first.media?.download_url).toBe(media.download_url);
  // At least five seconds minus a fifth.
  expect((requests[1]?.atMs ?? 0) - (requests[0]?.atMs ?? 0)).toBeGreaterThanOrEqual(3_900);

  await call(`/media/${media.id}`, { method: "DELETE" });
  expect(await eventOf(2)).toMatchObject({
    event: "media.source_deleted",
    media_id: media.id,
    status: "completed",
    media: null,
  });
  for (const { headers, body } of requests) {
    const signature = createHmac("sha256", secret).update(body).digest("hex");
    expect(headers["x-service-signature"]).toBe(`sha256=${signature}`);
  }

  expect(await admin("webhook", "delete", "--endpoint", endpointId)).toEqual({ endpointId, deleted: true });
  expect(await admin("webhook", "list")).toEqual([]);
  const { directory } = inject("service");
  const { webhookSecretKey } = JSON.parse(await readFile(join(directory, "secrets.json"), "utf8")) as {
    webhookSecretKey: string;
  };
  const log = await readFile(join(directory, "workers.log"), "utf8");
  expect(log).toContain('"event":"webhook_attempt"');
  for (const hidden of [secret, webhookSecretKey, "/hook", "a.jpg"]) expect(log).not.toContain(hidden);
});

/** The message of an operator's command that must fail. */
async function refused(...args: string[]): Promise<string> {
  return await admin(...args).then(
    () => "",
    (error: { stderr: string }) => error.stderr,
  );
}

test("an operator sees why a webhook fails", async () => {
  expect(await refused("webhook", "create", "--url=http://10.0.0.1/")).toContain(
    "10.0.0.1 is not on the public",
  );
  expect(await refused("webhook", "create", "--url=https://127.0.0.1/", "--events=media.eaten")).toContain(
    'There is no event "media.eaten"',
  );
  expect(await refused("webhook", "delete", "--endpoint=whe_nobody")).toContain(
    "no webhook endpoint whe_nobody",
  );
  expect(await admin("webhook", "list")).toEqual([]);
});
