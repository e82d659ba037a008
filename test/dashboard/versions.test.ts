import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { detectionsKey } from "../../src/records/media/media.objects.ts";
import { noteKept } from "../../src/records/video-tasks/kept-work.ts";
import { pieceKey } from "../../src/records/video-tasks/pieces.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

const KEPT_WORK = { attempts: [1], cuts: [], isTruncated: false };

let team: TestTeam;
let first: string;
let second: string;

beforeEach(async () => {
  team = await createTeam(catchMails());
  first = (await uploaded(team.apiKey, { filename: "face.png" })).id;
  await completed(team.accountId, first, Uint8Array.of(1));
  second = await corrected(first);
});

afterAll(() => {
  vi.restoreAllMocks();
});

/** A completed revision of a media item. */
async function corrected(firstId: string): Promise<string> {
  return await correctedMedia(team.accountId, firstId, Uint8Array.of(2));
}

async function pageOf(path: string): Promise<string> {
  return await (await team.member.visit(path)).text();
}

describe("a file that was corrected", () => {
  test("is one row of the list, marked, with its older version under it", async () => {
    const page = await pageOf("/dashboard/media");
    expect(page.match(/<li id="media-/g)).toHaveLength(1);
    expect(page).toContain(`<li id="media-${second}"`);
    expect(page).toContain('<span class="corrected">corrected</span>');
    expect(page).toMatch(
      new RegExp(`class="row-versions".*1 other version.*/dashboard/media/${first}"`, "s"),
    );
    // A search for the older version's ID finds it.
    expect(await pageOf(`/dashboard/media?search=${first}`)).toContain(`<li id="media-${first}"`);
  });

  test("keeps the place of its upload, in the list and beside the others", async () => {
    const other = (await uploaded(team.apiKey, { filename: "later.png" })).id;
    await completed(team.accountId, other);
    await env.DB.batch(
      [first, other, second].map((id, index) =>
        env.DB.prepare("UPDATE media SET created_at = ?, uploaded_at = ? WHERE id = ?").bind(
          1_000_000 * (index + 1),
          1_000_000 * (id === other ? 2 : 1),
          id,
        ),
      ),
    );
    const listed = async (query: string): Promise<(string | undefined)[]> =>
      [...(await pageOf(`/dashboard/media${query}`)).matchAll(/<li id="media-([^"]+)"/g)].map(([, id]) => id);
    expect(await listed("")).toEqual([other, second]);
    expect(await listed("?sort=uploaded&order=asc")).toEqual([second, other]);
    for (const version of [first, second]) {
      const page = await pageOf(`/dashboard/media/${version}`);
      expect(page).toMatch(new RegExp(`rel="prev" href="/dashboard/media/${other}"`));
      expect(page).not.toContain('rel="next"');
    }
    const beside = await pageOf(`/dashboard/media/${other}`);
    expect(beside).toMatch(new RegExp(`rel="next" href="/dashboard/media/${second}"`));
    expect(beside).not.toContain('rel="prev"');
  });

  test("is found by that it was corrected, and no other file is", async () => {
    const other = (await uploaded(team.apiKey, { filename: "other.png" })).id;
    await completed(team.accountId, other);
    const page = await pageOf("/dashboard/media?status=corrected");
    expect(page).toContain("1 file matches.");
    expect(page).toContain(`<li id="media-${second}"`);
    // The result of a review is not a correction.
    await env.DB.prepare(
      "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at, result_media_id) VALUES (?, ?, 'approved', '[]', 1, ?)",
    )
      .bind(first, team.accountId, second)
      .run();
    expect(await pageOf("/dashboard/media?status=corrected")).toContain("No matches.");
  });

  test("leads from its older version to the current one, which is what the button downloads", async () => {
    const page = await pageOf(`/dashboard/media/${first}`);
    expect(page).toContain("This file was corrected.");
    expect(page).toContain(`class="button primary" href="/dashboard/media/${second}/download"`);
    expect(await pageOf(`/dashboard/media/${second}`)).not.toContain("This file was corrected.");
  });

  test.for(["the upload", "the current version"])(
    "is deleted with all its versions from the page of %s, which says so",
    async (from) => {
      const id = from === "the upload" ? first : second;
      const other = (await uploaded(team.apiKey, { filename: "other.png" })).id;
      expect(await pageOf(`/dashboard/media/${id}`)).toContain("delete this file with all its 2 versions");
      expect(await pageOf(`/dashboard/media/${other}`)).toContain("delete this file, both the original");
      const answer = await team.member.submit(`/dashboard/media/${id}/delete`);
      expect(answer.headers.get("Location")).toContain("notice=media_deleted");
      const { results } = await env.DB.prepare("SELECT id FROM media WHERE account_id = ?")
        .bind(team.accountId)
        .all();
      expect(results).toEqual([{ id: other }]);
      const { objects } = await env.MEDIA.list({ prefix: `${team.accountId}/` });
      expect(objects.filter(({ key }) => !key.includes(other))).toEqual([]);
      expect((await team.member.submit(`/dashboard/media/${id}/delete`)).status).toBe(404);
    },
  );

  test("is deleted with all its versions", async () => {
    const form = new URLSearchParams([
      ["csrf", await team.member.csrf()],
      ["id", second],
    ]);
    await team.member.visit("/dashboard/media/selection/delete", { body: form });
    const left = await env.DB.prepare("SELECT count(*) AS total FROM media WHERE account_id = ?")
      .bind(team.accountId)
      .first("total");
    expect(left).toBe(0);
  });
});

async function sendToReview(ids: readonly string[]): Promise<Response> {
  const form = new URLSearchParams([["csrf", await team.member.csrf()], ...ids.map((id) => ["id", id])]);
  return await team.member.visit("/dashboard/media/selection/review", { body: form });
}

describe("sending files to review", () => {
  test("lists what has a result, once, and what was approved waits again", async () => {
    const unfinished = (await uploaded(team.apiKey, { filename: "unfinished.png" })).id;
    const answer = await sendToReview([second, unfinished]);
    expect(answer.headers.get("Location")).toBe("/dashboard/review?sent=1&unsent=1");
    expect(await pageOf("/dashboard/review?sent=1&unsent=1")).toContain(
      "1 file sent to review. 1 not sent: no result yet.",
    );
    await sendToReview([second]);
    const queue = await pageOf("/dashboard/review");
    expect(queue).toContain("1 to review");
    expect(queue).toContain("Sent to review");
    const form = new URLSearchParams([["csrf", await team.member.csrf()]]);
    await team.member.visit(`/dashboard/review/${second}/approve`, { body: form });
    const done = await pageOf("/dashboard/review");
    expect(done).toContain("0 to review");
    // The reviewed files can be downloaded as one ZIP.
    expect(done).toContain("Download the file you reviewed");
    expect(done).toContain(`<input type="hidden" name="id" value="${second}"`);
    await sendToReview([second]);
    expect(await pageOf("/dashboard/review")).toContain("1 to review");
    const { results } = await env.DB.prepare(
      "SELECT subject_id AS id FROM audit_entries WHERE account_id = ? AND kind = 'media.review_requested'",
    )
      .bind(team.accountId)
      .all();
    expect(results).toEqual([{ id: second }, { id: second }]);
  });

  test("reaches no media of another team", async () => {
    const stranger = await createTeam(catchMails());
    const { id } = await uploaded(stranger.apiKey, { filename: "theirs.png" });
    await completed(stranger.accountId, id, Uint8Array.of(1));
    await sendToReview([id]);
    expect(await pageOf("/dashboard/review")).toContain("0 to review");
  });
});

test("the list finds any part of a folder in any case, and says when its dates are turned around", async () => {
  await env.DB.prepare("UPDATE media SET folder = 'Case 17/Door_cam' WHERE account_id = ?")
    .bind(team.accountId)
    .run();
  for (const folder of ["case 17", "DOOR", "17/door_cam", "Case 17/Door_cam"])
    expect(await pageOf(`/dashboard/media?folder=${encodeURIComponent(folder)}`)).toContain(
      `<li id="media-${second}"`,
    );
  expect(await pageOf("/dashboard/media?folder=case")).toContain("1 file matches.");
  for (const folder of ["case 18", "door%cam", "17_door"])
    expect(await pageOf(`/dashboard/media?folder=${encodeURIComponent(folder)}`)).toContain("No matches.");
  expect(await pageOf("/dashboard/media?from=2026-11-02&until=2026-11-01")).toContain(
    "From is later than Until",
  );
  expect(await pageOf("/dashboard/media?from=2026-11-01&until=2026-11-01")).not.toContain(
    "From is later than Until",
  );
});

/** Stores the detections of a photo: one hidden, one visible. */
async function keepDetections(id: string, openId: "det_1" | "det_2"): Promise<void> {
  const box = [0.1, 0.1, 0.2, 0.2];
  const thing = { category: "heads", confidence: 0.9, box };
  const detections = ["det_1", "det_2"].map((name) =>
    Object.assign({ id: name }, thing, name === openId ? { isOpen: true } : {}),
  );
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, ?, 1)",
  )
    .bind(id, team.accountId, JSON.stringify(detections))
    .run();
}

async function keepSource(): Promise<void> {
  await env.DB.prepare(
    "UPDATE media SET source_expires_at = ?, source_deleted_at = NULL, redaction_method = 'pixelation' WHERE id = ?",
  )
    .bind(Date.now() + 3_600_000, first)
    .run();
}

describe("the versions of a file", () => {
  test("say what each is, by whom, and which is current", async () => {
    await keepSource();
    await keepDetections(second, "det_1");
    const answer = await team.member.visit(`/dashboard/media/${second}/revisions`, {
      body: JSON.stringify({ redact: "none" }),
      headers: { "Content-Type": "application/json", "X-CSRF-Token": await team.member.csrf() },
    });
    expect(answer.status).toBe(201);
    const { id: third } = await answer.json<{ id: string }>();
    await completed(team.accountId, third);
    const page = await pageOf(`/dashboard/media/${third}`);
    const list = /<ul class="versions">.*?<\/ul>/s.exec(page)?.[0] ?? "";
    expect(page).toContain("3 versions");
    expect(list).toMatch(
      /Version 3.*Current.*Correction of version 2 by .*Version 2.*Version 1.*Upload through the API by API key/s,
    );
    expect(list.match(/>Current</g)).toHaveLength(1);
    expect(list).toContain(`href="/dashboard/media/${third}/compare?left=1&amp;right=3"`);
    // The current version cannot be restored.
    expect(list).toContain(`action="/dashboard/media/${first}/restore"`);
    expect(list).not.toContain(`action="/dashboard/media/${third}/restore"`);
  });

  test("are compared two at a time", async () => {
    const page = await pageOf(`/dashboard/media/${second}/compare?left=1&right=2`);
    expect([...page.matchAll(/<img src="([^"]+)" alt="Version/g)].map(([, path]) => path)).toEqual([
      `/dashboard/media/${first}/output`,
      `/dashboard/media/${second}/output`,
    ]);
    // Versions in the address that do not exist are ignored.
    expect(await pageOf(`/dashboard/media/${second}/compare?left=9&right=x`)).toContain(
      `/dashboard/media/${second}/output`,
    );
  });

  test("an older one is restored as a new one that hides the same, by the same method, and the trail says so", async () => {
    await keepSource();
    await keepDetections(first, "det_2");
    const answer = await team.member.submit(`/dashboard/media/${first}/restore`);
    const location = answer.headers.get("Location") ?? "";
    const [, restored = ""] = /media\/([0-9a-f-]{36})\?notice=version_restored$/.exec(location) ?? [];
    const row = await env.DB.prepare(
      `SELECT status, redaction_method AS method, detections FROM media JOIN media_detections ON media_id = id WHERE id = ?`,
    )
      .bind(restored)
      .first<{ status: string; method: string; detections: string }>();
    expect(row).toMatchObject({ status: "queued", method: "pixelation" });
    const restoredThings = JSON.parse(row?.detections ?? "[]") as { id: string; isOpen?: boolean }[];
    expect(restoredThings.map(({ id, isOpen }) => [id, isOpen])).toEqual([
      ["det_1", undefined],
      ["det_2", true],
    ]);
    // A second click does not create a second version.
    const again = await team.member.submit(`/dashboard/media/${first}/restore`);
    expect(again.headers.get("Location")).toBe(`/dashboard/media/${restored}`);
    const restoredPage = await pageOf(location);
    expect(restoredPage).toContain("The older version was restored");
    // The notice stays after the version has become current, so it does not say when.
    expect(restoredPage).not.toContain("becomes current");
    await completed(team.accountId, restored);
    expect(await pageOf(`/dashboard/media/${restored}`)).toMatch(/Version 3.*Restored version 1 by /s);
    const trail = await env.DB.prepare(
      "SELECT actor_id AS actor, detail FROM audit_entries WHERE kind = 'media.restored' AND subject_id = ?",
    )
      .bind(restored)
      .first();
    expect(trail).toEqual({ actor: team.memberId, detail: first });
    // A current version stays current.
    const current = await team.member.submit(`/dashboard/media/${restored}/restore`);
    expect(current.headers.get("Location")).toBe(`/dashboard/media/${restored}`);
  });

  test("an older one of a video is restored with its choice, its regions and its sound", async () => {
    const third = await corrected(first);
    await keepSource();
    await env.DB.prepare(
      "UPDATE media SET media_type = 'video', format = 'mp4', duration_seconds = 2 WHERE account_id = ?",
    )
      .bind(team.accountId)
      .run();
    const box = [0.1, 0.1, 0.2, 0.2];
    const options = {
      audio: "mute",
      regions: [
        { id: "det_drawn", box },
        { id: "det_open", isOpen: true, box },
      ],
      choice: { redact: "none", except: [] },
    };
    await env.DB.batch([
      env.DB.prepare("INSERT INTO masking_options (media_id, account_id, options) VALUES (?, ?, ?)").bind(
        second,
        team.accountId,
        JSON.stringify(options),
      ),
      env.DB.prepare(
        "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, '[]', 1, 0)",
      ).bind(second, team.accountId),
    ]);
    await noteKept(env.MEDIA, { accountId: team.accountId, mediaId: first }, KEPT_WORK);
    const listed = { id: "det_drawn", category: null, confidence: null, origin: "request", redacted: true };
    const pieces = detectionsKey({ accountId: team.accountId, mediaId: second });
    await env.MEDIA.put(pieceKey(pieces, 0), JSON.stringify(listed));
    expect(await pageOf(`/dashboard/media/${third}`)).toContain(
      `action="/dashboard/media/${second}/restore"`,
    );
    const answer = await team.member.submit(`/dashboard/media/${second}/restore`);
    expect(answer.status).toBe(303);
    const [, restored = ""] = /media\/([0-9a-f-]{36})/.exec(answer.headers.get("Location") ?? "") ?? [];
    const kept = await env.DB.prepare("SELECT options FROM masking_options WHERE media_id = ?")
      .bind(restored)
      .first<string>("options");
    expect(JSON.parse(kept ?? "null")).toEqual({
      audio: "mute",
      // The drawn region of that version is hidden, although no detection is.
      choice: { redact: ["det_drawn"], except: [] },
      regions: [
        { id: "det_drawn", box },
        { id: "det_open", isOpen: true, box },
      ],
    });
  });

  test("one without a result is not restored: it was only analyzed, or its result is deleted", async () => {
    await keepSource();
    await keepDetections(first, "det_2");
    await env.DB.prepare("UPDATE media SET output_size_bytes = NULL WHERE id = ?").bind(first).run();
    expect(await pageOf(`/dashboard/media/${second}`)).not.toContain("/restore");
    const answer = await team.member.submit(`/dashboard/media/${first}/restore`);
    expect(answer.headers.get("Location")).toBe(`/dashboard/media/${first}`);
    const { total } = (await env.DB.prepare("SELECT count(*) AS total FROM media WHERE account_id = ?")
      .bind(team.accountId)
      .first<{ total: number }>()) ?? { total: 0 };
    expect(total).toBe(2);
  });

  test("none is restored once the original is gone", async () => {
    await keepDetections(first, "det_2");
    await env.DB.prepare("UPDATE media SET source_expires_at = NULL, source_deleted_at = 1 WHERE id = ?")
      .bind(first)
      .run();
    await env.MEDIA.delete(`${team.accountId}/${first}/source`);
    const page = await pageOf(`/dashboard/media/${second}`);
    expect(page).toContain("2 versions");
    expect(page).not.toContain("/restore");
    expect((await team.member.submit(`/dashboard/media/${first}/restore`)).status).toBe(409);
  });

  test("a file is one row of the list and of the grid", async () => {
    for (const view of ["list", "grid"])
      expect((await pageOf(`/dashboard/media?view=${view}`)).match(/<li id="media-/g)).toHaveLength(1);
  });
});

test("a file's page offers Download and Edit, and the rest in a menu", async () => {
  await keepSource();
  const page = await pageOf(`/dashboard/media/${second}`);
  const actions = /<div class="actions">.*?<\/details>/s.exec(page)?.[0] ?? "";
  const [outside = "", menu = ""] = actions.split("<summary");
  expect([...outside.matchAll(/<\/svg>([^<]+)</g)].map(([, text]) => text)).toEqual(["Download", "Edit"]);
  expect([...menu.matchAll(/<\/svg>([^<]+)</g)].map(([, text]) => text)).toEqual([
    "Report",
    "Send to review",
    "Delete",
  ]);
});

test("the list finds photos by what was found in them, hidden or left open by a person, and nothing fainter", async () => {
  const box = [0.1, 0.1, 0.2, 0.2];
  const things = [
    { category: "heads", confidence: 0.9 },
    { category: "license_plates", confidence: 0.8, isOpen: true },
    { category: "screens", confidence: 0.1, isOpen: true, isOpenByDefault: true },
    { category: "tattoos", confidence: 0.1, isOpenByDefault: true },
    { category: "documents", confidence: null, isRequested: true },
  ].map((thing, index) => Object.assign({ id: `det_${index}`, box }, thing));
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, ?, 1)",
  )
    .bind(second, team.accountId, JSON.stringify(things))
    .run();
  const isListed = async (found: string): Promise<boolean> =>
    (await pageOf(`/dashboard/media?found=${found}`)).includes(`<li id="media-${second}"`);
  for (const found of ["heads", "license_plates", "tattoos"])
    expect([found, await isListed(found)]).toEqual([found, true]);
  for (const found of ["screens", "documents", "qr_codes"])
    expect([found, await isListed(found)]).toEqual([found, false]);
  const page = await pageOf("/dashboard/media?found=heads");
  const note = "Videos are not searched by what was found.";
  expect(page).toContain(note);
  for (const query of ["found=heads&type=image", "category=heads"])
    expect(await pageOf(`/dashboard/media?${query}`)).not.toContain(note);
  expect(page).toContain("1 file matches.");
  expect(page).toMatch(/<label for="found">Found in photos.*<option value="heads" selected/s);
  // All matching files can be downloaded.
  expect(page).toContain("/dashboard/media/archive?found=heads");
});
