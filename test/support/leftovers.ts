import { env } from "cloudflare:workers";
import { expect } from "vitest";
import { newUuid } from "../../src/ground/platform/ids.ts";

/** The number of rows and objects of an account, by kind. */
export async function storedOf(accountId: string): Promise<Record<string, number>> {
  const count = async (table: string): Promise<number> => {
    const row = await env.DB.prepare(`SELECT count(*) AS total FROM ${table} WHERE account_id = ?`)
      .bind(accountId)
      .first<{ total: number }>();
    return row?.total ?? 0;
  };
  const objects = await env.MEDIA.list({ prefix: `${accountId}/` });
  return {
    objects: objects.objects.length,
    media: await count("media"),
    purges: await count("object_purges"),
    keys: await count("idempotency_keys"),
  };
}

/** Expects that nothing at all is stored of an account's uploads. */
export async function expectNothingLeft(accountId: string): Promise<void> {
  expect(await storedOf(accountId)).toEqual({ objects: 0, media: 0, purges: 0, keys: 0 });
}

/** Completes a media item with an output of these bytes. */
export async function completed(
  accountId: string,
  mediaId: string,
  output: Uint8Array<ArrayBuffer> = new Uint8Array([1, 2, 3]),
): Promise<void> {
  await env.MEDIA.put(`${accountId}/${mediaId}/output`, output);
  await env.DB.prepare(
    "UPDATE media SET status = 'completed', processed_at = ?2, output_size_bytes = ?3 WHERE id = ?1 AND account_id = ?4",
  )
    .bind(mediaId, Date.now(), output.length, accountId)
    .run();
}

/** Creates a completed revision of a media item with an output of these bytes. Returns its ID. */
export async function correctedMedia(
  accountId: string,
  firstId: string,
  output: Uint8Array<ArrayBuffer>,
): Promise<string> {
  const row = await env.DB.prepare("SELECT * FROM media WHERE id = ?").bind(firstId).first();
  const id = newUuid(Date.now() + 1);
  const copy = { ...row, id, status: "queued", created_at: Date.now() + 1, output_size_bytes: null };
  const columns = Object.keys(copy);
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO media (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`,
    ).bind(...Object.values(copy)),
    env.DB.prepare(
      "INSERT INTO media_revisions (media_id, account_id, first_media_id, analysis_media_id) VALUES (?1, ?2, ?3, ?3)",
    ).bind(id, accountId, firstId),
  ]);
  await completed(accountId, id, output);
  return id;
}
