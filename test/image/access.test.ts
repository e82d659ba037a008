import { env } from "cloudflare:workers";
import { afterEach, expect, test, vi } from "vitest";
import { detectorSettings } from "../../src/work/detection/detector-settings.ts";
import { unservedCategories } from "../../src/work/detection/served-categories.ts";
import { parseImageEnv } from "../../src/ground/platform/env.ts";
import { createAccount } from "../support/accounts.ts";
import { deliver, oneHead, queuedMedia } from "../support/jobs.ts";

const ACCESS = { INFERENCE_ACCESS_CLIENT_ID: "an-id", INFERENCE_ACCESS_CLIENT_SECRET: "a-secret" };

afterEach(() => {
  vi.restoreAllMocks();
});

test("every call of an inference service behind Cloudflare Access carries its service token", async () => {
  const asked: { path: string; headers: Headers }[] = [];
  vi.spyOn(globalThis, "fetch").mockImplementation(async (url, init) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    asked.push({ path: pathname, headers: new Headers(init?.headers) });
    if (init?.body instanceof ReadableStream) await new Response(init.body).arrayBuffer();
    return pathname === "/v1/models" ? Response.json({ categories: ["heads"] }) : oneHead();
  });
  const bindings = { ...env, ...ACCESS };
  const { accountId } = await createAccount();
  const media = await queuedMedia(accountId, { options: { isVerified: false } });
  await deliver(media.mediaId, { bindings });
  const row = await env.DB.prepare("SELECT status FROM media WHERE id = ?").bind(media.mediaId).first();
  expect(row).toEqual({ status: "completed" });
  await unservedCategories(detectorSettings(parseImageEnv(bindings)), ["heads"]);
  expect(asked.map(({ path }) => path)).toEqual(["/v1/detections", "/v1/models"]);
  for (const { headers } of asked) {
    expect(headers.get("CF-Access-Client-Id")).toBe("an-id");
    expect(headers.get("CF-Access-Client-Secret")).toBe("a-secret");
    expect(headers.get("Authorization")).toBe("Bearer test-token");
  }
});

test("half a service token is refused by name", () => {
  const config = parseImageEnv({ ...env, INFERENCE_ACCESS_CLIENT_ID: "an-id" });
  expect(() => detectorSettings(config)).toThrow("INFERENCE_ACCESS_CLIENT_SECRET");
});
