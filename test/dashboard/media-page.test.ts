import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { detectionsKey } from "../../src/records/media/media.objects.ts";
import { pieceKey } from "../../src/records/video-tasks/pieces.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

const DAY_MS = 86_400_000;

let team: TestTeam;

beforeAll(async () => {
  team = await createTeam(catchMails());
});

afterAll(() => {
  vi.restoreAllMocks();
});

test("a photo's page names each thing with its confidence, the surest first, and says when files go", async () => {
  const { id } = await uploaded(team.apiKey);
  await completed(team.accountId, id);
  const box = [0.1, 0.1, 0.2, 0.2];
  const detections = [
    { id: "det_1", category: "heads", confidence: 0.4, box },
    { id: "det_2", category: "heads", confidence: 0.9, box },
    { id: "det_3", category: null, confidence: null, box },
  ];
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare(
      "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, ?, 1)",
    ).bind(id, team.accountId, JSON.stringify(detections)),
    env.DB.prepare("UPDATE media SET source_expires_at = ?, output_expires_at = ? WHERE id = ?").bind(
      now + 3.5 * DAY_MS,
      now + 20.5 * DAY_MS,
      id,
    ),
  ]);
  await env.MEDIA.put(`${team.accountId}/${id}/output`, "redacted");
  const page = await team.member.page(`/dashboard/media/${id}`);
  const names = [...page.matchAll(/<button type="button" data-thing="([^"]+)"[^>]*>([^<]+)</g)];
  expect(names.map(([, key, name]) => [key, name?.trim()])).toEqual([
    ["heads-1", "Heads 1, 90%"],
    ["heads-2", "Heads 2, 40%"],
    ["drawn-1", "Drawn by hand 1"],
  ]);
  expect(page).toContain('<g class="off" data-category="heads" data-thing="heads-1">');
  expect(page).toContain("(in 3 days)");
  expect(page).toContain("(in 20 days)");
});

/** A completed upload whose original is still stored. */
async function withOriginal(type: "image" | "video"): Promise<string> {
  const { id } = await uploaded(team.apiKey);
  await completed(team.accountId, id);
  await env.DB.batch([
    env.DB.prepare("UPDATE media SET source_expires_at = ?, media_type = ? WHERE id = ?").bind(
      Date.now() + DAY_MS,
      type,
      id,
    ),
    env.DB.prepare(
      "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, '[]', 1)",
    ).bind(id, team.accountId),
  ]);
  return id;
}

test.for(["image", "video"] as const)(
  "the original stands before the result, and the editor explains outlines and keys: %s",
  async (type) => {
    const id = await withOriginal(type);
    const page = await team.member.page(`/dashboard/media/${id}`);
    const captions = [...page.matchAll(/<figcaption>([^<]+)</g)].map(([, caption]) => caption);
    expect(captions).toEqual(["Original", "Redacted"]);
    // The slider begins at the end on its left, where only the result is shown.
    if (type === "image")
      expect(page).toMatch(
        /<span aria-hidden="true">Redacted<\/span><input id="share"[^>]* value="0"[^>]*\/?><label for="share">Original<\/label>/,
      );
    // The button's label is the action, not the state.
    if (type === "video") expect(page).toContain(">Turn sound off</button>");
    const editor = await team.member.page(`/dashboard/media/${id}/edit`);
    expect(editor).toMatch(/Solid: hidden.*Dotted: stays visible/s);
    expect(editor).toMatch(/<details class="key-help" open[^>]*><summary>Keys<\/summary>/);
  },
);

test("a video's things are listed for its editor though fainter ones were left out", async () => {
  const { id } = await uploaded(team.apiKey);
  await completed(team.accountId, id);
  const owned = { accountId: team.accountId, mediaId: id };
  await env.DB.batch([
    env.DB.prepare(
      "UPDATE media SET media_type = 'video', format = 'mp4', duration_seconds = 2 WHERE id = ?",
    ).bind(id),
    env.DB.prepare(
      "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, '[]', 1, 1)",
    ).bind(id, team.accountId),
  ]);
  const thing = { id: "det_1", category: "heads", confidence: 0.9, redacted: true };
  await env.MEDIA.put(pieceKey(detectionsKey(owned), 0), JSON.stringify(thing));
  const answer = JSON.parse(await team.member.page(`/dashboard/media/${id}/edit/detections`)) as object;
  expect(answer).toMatchObject({ duration_seconds: 2, truncated: true, detections: [thing] });
});

test("a file's page leads to the files beside it, newest first, and the list to what a reviewer approved", async () => {
  const other = await createTeam(catchMails());
  const ids: string[] = [];
  for (const _ of [1, 2, 3]) {
    const { id } = await uploaded(other.apiKey);
    await completed(other.accountId, id);
    ids.push(id);
  }
  const [oldest = "", middle = "", newest = ""] = ids;
  const page = await other.member.page(`/dashboard/media/${middle}`);
  expect(page).toContain(`rel="prev" href="/dashboard/media/${newest}"`);
  expect(page).toContain(`rel="next" href="/dashboard/media/${oldest}"`);
  expect(await other.member.page(`/dashboard/media/${newest}`)).not.toContain('rel="prev"');
  expect(await team.member.page("/dashboard/media?status=approved")).toContain("No matches.");
  await env.DB.prepare(
    "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'approved', '[]', 1)",
  )
    .bind(middle, other.accountId)
    .run();
  const approved = await other.member.page("/dashboard/media?status=approved");
  expect(approved).toContain(`id="media-${middle}"`);
  expect(approved).not.toContain(`id="media-${newest}"`);
});

test("the second reading is on a photo's page, and the editor marks and lists each finding", async () => {
  const id = await withOriginal("image");
  const page = async (path = ""): Promise<string> => await team.member.page(`/dashboard/media/${id}${path}`);
  await env.MEDIA.put(`${team.accountId}/${id}/source`, "original");
  expect(await page()).toMatch(/<dt>Second reading<\/dt><dd>Not done<\/dd>/);
  const finding = { kind: "found_again", category: "heads", confidence: 0.914, box: [0.5, 0.25, 0.1, 0.2] };
  await env.DB.prepare(
    `INSERT INTO media_verifications (media_id, account_id, status, pictures, frames, findings)
     VALUES (?, ?, 'findings', 1, 0, ?)`,
  )
    .bind(id, team.accountId, JSON.stringify([finding]))
    .run();
  expect(await page()).toContain(
    `1 finding<ol class="findings"><li><a href="/dashboard/media/${id}/edit#finding-1">Heads, 91%: still visible</a></li></ol>`,
  );
  const editor = await page("/edit");
  expect(editor).toMatch(
    /<button type="button" class="plain" id="finding-1"[^>]*>Heads, 91%: still visible</,
  );
  const [, width = 0, height = 0] =
    /class="stage"[^>]*viewBox="0 0 (\d+) (\d+)"/.exec(editor)?.map(Number) ?? [];
  expect(editor).toContain(`<rect x="${width / 2}" y="${height / 4}"`);
});

test("an owner sets which outputs are read again, and a member cannot", async () => {
  const setting = async (): Promise<unknown> =>
    await env.DB.prepare("SELECT verify_photos AS photos, verify_videos AS videos FROM accounts WHERE id = ?")
      .bind(team.accountId)
      .first();
  expect(await team.owner.page("/dashboard/team")).toMatch(
    /name="photos" checked[^>]*>Photos.*name="videos" a/s,
  );
  expect((await team.member.submit("/dashboard/team/verification", { videos: "on" })).status).toBe(403);
  expect(await setting()).toEqual({ photos: null, videos: null });
  const answer = await team.owner.submit("/dashboard/team/verification", { videos: "on" });
  expect(answer.headers.get("Location")).toBe("/dashboard/team?notice=verification_changed");
  expect(await setting()).toEqual({ photos: 0, videos: 1 });
  const entry = await env.DB.prepare(
    "SELECT detail FROM audit_entries WHERE account_id = ? AND kind = 'account.verification_changed'",
  )
    .bind(team.accountId)
    .first();
  expect(entry).toEqual({ detail: "photos=off videos=on" });
});
