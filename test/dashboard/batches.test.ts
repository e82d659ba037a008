import { env } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploadForm } from "../support/uploads.ts";
import { filesInZip } from "../support/zip.ts";

const BATCH = "0123456789abcdef0123456789abcdef";

let team: TestTeam;

beforeEach(async () => {
  team = await createTeam(catchMails());
});

afterAll(() => {
  vi.restoreAllMocks();
});

/** Uploads a file as the upload page does. */
async function uploadIn(batchId: string, filename: string): Promise<string> {
  const answer = await team.member.visit("/dashboard/media", {
    body: await uploadForm({ filename }),
    headers: { "X-CSRF-Token": await team.member.csrf(), "X-Upload-Batch": batchId },
  });
  expect(answer.status).toBe(201);
  return (await answer.json<{ id: string }>()).id;
}

test("files that were uploaded together have a page of their own, with what can be done with all", async () => {
  const first = await uploadIn(BATCH, "first.png");
  const second = await uploadIn(BATCH, "second.png");
  const other = await uploadIn("f".repeat(32), "other.png");
  await completed(team.accountId, first);
  const page = await team.member.page(`/dashboard/batches/${BATCH}`);
  expect(page).toContain("1 of 2 done");
  expect(page).not.toContain("failed");
  for (const id of [first, second]) expect(page).toContain(`<li id="media-${id}"`);
  expect(page).not.toContain(other);
  expect(page).toContain(`name="id" value="${first}"`);
  expect(page).not.toContain(`name="id" value="${second}"`);
  await env.DB.prepare("UPDATE media SET folder = 'case 1' WHERE id = ?").bind(first).run();
  const earlier = await team.member.page("/dashboard/batches");
  expect(earlier).toMatch(/<td[^>]*>case 1<\/td><td[^>]*>1 in progress<\/td>/);
  expect(await team.member.page(`/dashboard/media/${first}`)).toContain("<dt>Folder</dt><dd>case 1</dd>");
  expect(earlier.match(/\/dashboard\/batches\/[0-9a-f]{32}/g)).toHaveLength(2);
  // A failed file does not count as done.
  await env.DB.prepare("UPDATE media SET status = 'failed', failure_code = 'source_unreadable' WHERE id = ?")
    .bind(second)
    .run();
  expect(await team.member.page(`/dashboard/batches/${BATCH}`)).toContain("1 of 2 done · 1 failed");
});

test("a file that was corrected is shown and handed out as it is now, and reviewing begins where it waits", async () => {
  const first = await uploadIn(BATCH, "face.png");
  await completed(team.accountId, first);
  const second = await correctedMedia(team.accountId, first, Uint8Array.of(2));
  const path = `/dashboard/batches/${BATCH}`;
  const before = await team.member.page(path);
  expect(before).toContain(`name="id" value="${second}"`);
  expect(before).not.toContain(`name="id" value="${first}"`);
  expect(before).not.toContain("Start reviewing");
  const other = await uploadIn("f".repeat(32), "other.png");
  await completed(team.accountId, other);
  for (const id of [other, second]) await team.member.submit("/dashboard/media/selection/review", { id });
  const after = await team.member.page(path);
  expect(after).toContain("1 to review");
  expect(after).toMatch(new RegExp(`href="/dashboard/review/${second}"[^>]*>.*Start reviewing`, "s"));
});

test("all of it is deleted at once, and the record says so", async () => {
  const first = await uploadIn(BATCH, "first.png");
  await completed(team.accountId, first);
  const second = await correctedMedia(team.accountId, first, Uint8Array.of(2));
  const other = await uploadIn("f".repeat(32), "other.png");
  const answer = await team.member.submit(`/dashboard/batches/${BATCH}/delete`);
  const record = /record=(req_[0-9a-f-]+)/.exec(answer.headers.get("Location") ?? "")?.[1];
  const page = await team.member.page(`/dashboard/deletions?request=${record}`);
  for (const id of [first, second]) expect(page).toContain(id);
  const { results } = await env.DB.prepare("SELECT id FROM media WHERE account_id = ?")
    .bind(team.accountId)
    .all();
  expect(results).toEqual([{ id: other }]);
  const left = await team.member.visit(`/dashboard/batches/${BATCH}`);
  expect(left.status).toBe(404);
  expect(await left.text()).toContain("There are no files from this upload.");
});

test("says what has arrived of it, to whoever continues it alone", async () => {
  const first = await uploadIn(BATCH, "first.png");
  await uploadIn("f".repeat(32), "other.png");
  await env.DB.prepare("UPDATE media SET folder = 'case 1' WHERE id = ?").bind(first).run();
  const path = `/dashboard/batches/${BATCH}/files`;
  expect(await (await team.member.visit(path)).json()).toEqual({
    files: [{ path: "case 1/first.png", size_bytes: expect.any(Number) as number }],
  });
  const stranger = await createTeam(catchMails());
  expect((await stranger.owner.visit(path)).status).toBe(404);
});

test("its heading is a moment that the browser shows in the reader's own time zone", async () => {
  await uploadIn(BATCH, "first.png");
  expect(await team.member.page(`/dashboard/batches/${BATCH}`)).toMatch(
    /<h1>Upload of <time datetime="\d{4}-\d\d-\d\dT[^"]+Z">[^<]+<\/time><\/h1>/,
  );
});

test("a ZIP of it holds all of its files, also those that were sent from another page", async () => {
  const first = await uploadIn(BATCH, "first.png");
  const second = await uploadIn(BATCH, "second.png");
  const third = await uploadIn(BATCH, "third.png");
  for (const id of [first, second]) await completed(team.accountId, id);
  await completed(team.accountId, await uploadIn("f".repeat(32), "other.png"));
  expect(await team.member.page(`/dashboard/batches/${BATCH}`)).toContain("1 file is still being redacted");
  const answer = await team.member.submit("/dashboard/media/selection/download", {
    batch: BATCH,
    id: second,
  });
  const files = filesInZip(new Uint8Array(await answer.arrayBuffer()));
  expect([...files].map(([name]) => name).sort()).toEqual([
    "first.redacted.png",
    "manifest.csv",
    "second.redacted.png",
  ]);
  expect(new TextDecoder().decode(new Map(files).get("manifest.csv"))).toContain(third);
});

test("a ZIP of it can hold those alone that were approved; its list names the others", async () => {
  const [first, second] = [await uploadIn(BATCH, "first.png"), await uploadIn(BATCH, "second.png")];
  for (const id of [first, second]) await completed(team.accountId, id);
  await env.DB.prepare(
    "UPDATE media SET folder = 'Holiday', created_at = 1767225600000, uploaded_at = 1767225600000",
  ).run();
  const path = `/dashboard/batches/${BATCH}`;
  expect(await team.member.page(path)).not.toContain('name="approved"');
  await env.DB.prepare(
    "INSERT INTO media_reviews VALUES (?, ?, 'approved', '[]', 1, 1767225600000, 'usr_gone', NULL)",
  )
    .bind(first, team.accountId)
    .run();
  expect(await team.member.page(path)).toContain("Download the 1 approved");
  const answer = await team.member.submit("/dashboard/media/selection/download", {
    batch: BATCH,
    approved: "only",
  });
  expect(answer.headers.get("Content-Disposition")).toContain(
    'filename="veil-holiday-2026-01-01-approved.zip"',
  );
  const files = filesInZip(new Uint8Array(await answer.arrayBuffer()));
  expect([...files].map(([name]) => name).sort()).toEqual(["Holiday/first.redacted.png", "manifest.csv"]);
  const manifest = new TextDecoder().decode(new Map(files).get("manifest.csv"));
  expect(manifest).toMatch(/"second\.png".*"not approved"/);
  const { results } = await env.DB.prepare(
    "SELECT subject_id AS id FROM audit_entries WHERE account_id = ? AND kind = 'media.downloaded'",
  )
    .bind(team.accountId)
    .all();
  expect(results).toEqual([{ id: first }]);
});

test("nobody else sees it, and an upload whose page names no good one arrives all the same", async () => {
  const id = await uploadIn(BATCH, "first.png");
  const stranger = await createTeam(catchMails());
  const seen = await stranger.owner.visit(`/dashboard/batches/${BATCH}`);
  expect(seen.status).toBe(404);
  expect(await seen.text()).not.toContain(id);
  expect((await stranger.owner.submit(`/dashboard/batches/${BATCH}/delete`)).status).toBe(404);
  expect(await team.member.page(`/dashboard/batches/${BATCH}`)).toContain(id);
  expect((await team.member.visit("/dashboard/batches/none")).status).toBe(404);
  await uploadIn("'; DROP", "second.png");
  expect(await team.member.page(`/dashboard/batches`)).not.toContain("DROP");
});

/** Copies the row of a media item in a table, under other IDs. */
async function copyRow(table: "media" | "batch_files", mediaId: string, copies: number): Promise<void> {
  const { results } = await env.DB.prepare(`SELECT name FROM pragma_table_info(?)`)
    .bind(table)
    .all<{ name: string }>();
  const columns = results.map(({ name }) => name);
  const id = table === "media" ? "id" : "media_id";
  const values = columns.map((name) => (name === id ? `substr(${id}, 1, 24) || printf('%012x', n)` : name));
  await env.DB.prepare(
    `WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${copies})
     INSERT INTO ${table} (${columns.join()}) SELECT ${values.join()} FROM ${table}, numbers WHERE ${id} = ?`,
  )
    .bind(mediaId)
    .run();
}

test("an upload too large for one page or one deletion says so, and is deleted in parts", async () => {
  const first = await uploadIn(BATCH, "0000.png");
  await completed(team.accountId, first);
  const path = `/dashboard/batches/${BATCH}`;
  await copyRow("media", first, 101);
  await copyRow("batch_files", first, 101);
  // The file that arrived first is last on its page, so the deletion keeps it.
  await env.DB.prepare("UPDATE media SET filename = 'zzz.png' WHERE id = ?").bind(first).run();
  await env.DB.prepare("UPDATE batch_files SET added_at = added_at - 1 WHERE media_id = ?").bind(first).run();
  expect(await team.member.page(path)).toContain("Permanently delete the first 100 files of this upload");
  expect(await team.member.page(path)).not.toContain("This page shows the first");
  const answer = await team.member.submit(`${path}/delete`);
  const left = await team.member.page(answer.headers.get("Location") ?? "");
  expect(left).toContain("Delete the others the same way.");
  expect(left).toContain("Permanently delete all 2 files of this upload");
  expect(left).toContain("zzz.png");
});

test("earlier uploads are listed fifty to a page", async () => {
  const id = await uploadIn(BATCH, "first.png");
  await copyRow("media", id, 51);
  await copyRow("batch_files", id, 51);
  await env.DB.prepare(
    `UPDATE batch_files SET batch_id = substr(media_id, 25) || substr(batch_id, 13), added_at = added_at - rowid
     WHERE account_id = ?1 AND media_id <> ?2`,
  )
    .bind(team.accountId, id)
    .run();
  const links = /\/dashboard\/batches\/[0-9a-f]{32}/g;
  const page = await team.member.page("/dashboard/batches");
  expect(page.match(links)).toHaveLength(50);
  const [, older = ""] = /rel="next" href="([^"]+)"/.exec(page) ?? [];
  const rest = await team.member.page(older);
  expect(rest.match(links)).toHaveLength(2);
  expect(rest).not.toContain('rel="next"');
});
