import { env } from "cloudflare:workers";
import { expect, test, vi } from "vitest";
import { sourceKey } from "../../src/records/media/media.objects.ts";
import { MINUTE_MS } from "../../src/ground/platform/clock.ts";
import { sha256Hex } from "../../src/ground/platform/ids.ts";
import { PART_BYTES } from "../../src/ground/platform/part-room.ts";
import { faultyBindings } from "../support/faulty-bindings.ts";
import type { TestAccount } from "../support/accounts.ts";
import { beforeUploads, begun, offsetOf, send, sha256Of, terminate } from "../support/resumable-uploads.ts";

let owner: TestAccount;
let photo: Uint8Array<ArrayBuffer>;

beforeUploads((uploader) => ({ owner, photo } = uploader));

test("storage failing at any call, before or after it happened, loses no byte and makes one media item", async () => {
  const bytes = new Uint8Array(PART_BYTES + 20);
  bytes.set(photo);
  const beginning = bytes.slice(0, PART_BYTES + 7);
  const idle = faultyBindings(env, () => undefined);
  await send((await begun(owner, bytes.length)).path, {
    offset: 0,
    body: beginning,
    bindings: idle.bindings,
  });
  for (const when of ["before", "after"] as const) {
    for (let failing = 1; failing <= idle.calls(); failing++) {
      const { path, uploadId } = await begun(owner, bytes.length);
      const fails = (count: number): Error | undefined =>
        count === failing ? new Error("Storage failed.") : undefined;
      const faulty = faultyBindings(env, fails, when);
      await send(path, { offset: 0, body: beginning, bindings: faulty.bindings });
      vi.setSystemTime(Date.now() + 2 * MINUTE_MS);
      for (let tries = 0; tries < 3; tries++) {
        const at = await offsetOf(path);
        if (at < bytes.length) await send(path, { offset: at, body: bytes.slice(at) });
      }
      expect([when, failing, await offsetOf(path)]).toEqual([when, failing, bytes.length]);
      const row = await env.DB.prepare("SELECT media_id, sha256 FROM resumable_uploads WHERE id_sha256 = ?")
        .bind(await sha256Hex(uploadId))
        .first<{ media_id: string; sha256: string | null }>();
      const key = sourceKey({ accountId: owner.accountId, mediaId: row?.media_id ?? "" });
      const stored = await (await env.MEDIA.get(key))?.arrayBuffer();
      expect([when, failing, await sha256Of(stored)]).toEqual([when, failing, await sha256Of(bytes)]);
      expect([when, failing, row?.sha256]).toEqual([when, failing, await sha256Of(bytes)]);
      const { objects } = await env.MEDIA.list({ prefix: key });
      expect([when, failing, objects.map((object) => object.key)]).toEqual([when, failing, [key]]);
      await terminate(path);
    }
  }
});
