import { afterEach, beforeEach, expect, test } from "vitest";
import { VeilApiError, VeilClient, VeilConnectionError, sendFile } from "../../packages/client/src/index.ts";
import {
  ScriptedService,
  answers,
  hangsUp,
  mediaItem,
  refusal,
  type Handler,
} from "./support/scripted-service.ts";

let service: ScriptedService;
let veil: VeilClient;
let bodies: string[];

beforeEach(async () => {
  service = new ScriptedService();
  await service.start();
  bodies = [];
  veil = new VeilClient({
    baseUrl: service.baseUrl,
    apiKey: "veil_k",
    retry: { retries: 2, firstDelayMs: 1, longestDelayMs: 5 },
  });
});

afterEach(() => service.stop());

/** Responds with this upload offset. */
function at(offset: number): Handler {
  return answers(204, "", { "Upload-Offset": String(offset) }, (body) => bodies.push(body.toString()));
}

function sent(): string[] {
  return service.requests.map(({ method, headers }) =>
    [method, headers["upload-offset"] ?? []].flat().join(" "),
  );
}

const file = new Blob(["0123456789"]);

test("an upload is begun with its length and name", async () => {
  const upload = {
    upload_id: "upl_a",
    upload_url: "https://veil.example.com/u",
    expires_at: "2026-11-21T13:37:00.000Z",
  };
  service.script.push(answers(201, upload));
  expect(await veil.createUpload({ sizeBytes: 10, filename: "straße.mp4" })).toEqual(upload);
  expect(service.requests[0]?.headers).toMatchObject({
    "tus-resumable": "1.0.0",
    "upload-length": "10",
    "upload-metadata": `filename ${Buffer.from("straße.mp4").toString("base64")}`,
    authorization: "Bearer veil_k",
  });
});

test("a file goes in parts from where an earlier try came to, without the key", async () => {
  service.script.push(at(2), at(6), at(10));
  const progress: number[] = [];
  await veil.sendUpload(`${service.baseUrl}/uploads/upl_a`, file, {
    partBytes: 4,
    onProgress: ({ sentBytes, totalBytes }) => progress.push(sentBytes / totalBytes),
  });
  expect(sent()).toEqual(["HEAD", "PATCH 2", "PATCH 6"]);
  expect(bodies).toEqual(["", "2345", "6789"]);
  expect(progress).toEqual([0.2, 0.6, 1]);
  expect(service.requests.map(({ headers }) => headers.authorization)).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a page sends a file with nothing but the address", async () => {
  service.script.push(at(0), at(10));
  await sendFile(`${service.baseUrl}/uploads/upl_a`, file);
  expect(bodies).toEqual(["", "0123456789"]);
});

test("what broke off, or is still held by an earlier try, goes on where it came to", async () => {
  const locked = answers(423, refusal("conflict", { reason: "upload_locked" }));
  service.script.push(at(0), hangsUp, at(3), locked, at(3), at(10));
  await veil.sendUpload(`${service.baseUrl}/uploads/upl_a`, file);
  expect(sent()).toEqual(["HEAD", "PATCH 0", "HEAD", "PATCH 3", "HEAD", "PATCH 3"]);
});

test("an upload that is gone fails at once, and one that makes no progress fails in the end", async () => {
  service.script.push(at(0), answers(404, refusal("not_found")));
  const gone = await veil
    .sendUpload(`${service.baseUrl}/uploads/upl_a`, file)
    .catch((error: unknown) => error);
  expect(gone).toBeInstanceOf(VeilApiError);
  service.script.push(answers(404, ""));
  await expect(veil.uploadOffset(`${service.baseUrl}/uploads/upl_a`)).rejects.toThrow(
    "There is no such upload",
  );
  await expect(veil.createUpload({ size: 5 } as never)).rejects.toThrow('Unknown option "size"');
  await expect(veil.get(undefined as never)).rejects.toThrow("The media ID is undefined");
  await expect(veil.sendUpload("upl_a", file)).rejects.toThrow("pass `upload_url`, not `upload_id`");
  for (let tries = 0; tries < 5; tries++) service.script.push(at(0), hangsUp);
  await expect(veil.sendUpload(`${service.baseUrl}/uploads/upl_a`, file)).rejects.toBeInstanceOf(
    VeilConnectionError,
  );
});

test("a media item is made of it, and an upload is deleted", async () => {
  service.script.push(
    answers(201, mediaItem(), {}, (body) => bodies.push(body.toString())),
    answers(204, ""),
  );
  await veil.upload({ uploadId: "upl_a", categories: ["heads"] });
  expect(bodies).toEqual([JSON.stringify({ upload_id: "upl_a", categories: ["heads"] })]);
  await veil.deleteUpload(`${service.baseUrl}/uploads/upl_a`);
  expect(service.requests.at(-1)?.method).toBe("DELETE");
});
