import { env } from "cloudflare:workers";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { firstIdAt } from "../../src/records/audit/audit.repository.ts";
import { call } from "../support/api.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";
import { filesInZip } from "../support/zip.ts";

const HOUR_MS = 3_600_000;
const detections = [
  { id: "det_1", category: "heads", confidence: 0.9, box: [0.1, 0.1, 0.2, 0.2] },
  {
    id: "det_2",
    category: "heads",
    confidence: 0.4,
    box: [0.6, 0.6, 0.2, 0.2],
    isOpen: true,
    isOpenByDefault: true,
  },
];

let team: TestTeam;

beforeAll(() => {
  catchMails();
});

beforeEach(async () => {
  team = await createTeam(catchMails());
});

afterAll(() => {
  vi.restoreAllMocks();
});

let flagged = 0;

/** A photo that waits for review, as its job leaves it. */
async function waitingPhoto({ isDetectOnly = false } = {}): Promise<string> {
  flagged += 1;
  const { id } = await uploaded(team.apiKey, { filename: `photo-${flagged}.png` });
  await completed(team.accountId, id);
  const now = Date.now();
  if (isDetectOnly) {
    await env.DB.prepare("UPDATE media SET output_size_bytes = NULL WHERE id = ?").bind(id).run();
    await env.MEDIA.delete(`${team.accountId}/${id}/output`);
  }
  const reasons = isDetectOnly
    ? [{ kind: "detect_only" }]
    : [{ kind: "many", subject: "heads", found: 9, limit: 5 }];
  await env.DB.batch([
    env.DB.prepare("UPDATE media SET source_expires_at = ? WHERE id = ?").bind(now + HOUR_MS, id),
    env.DB.prepare(
      "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, ?, 1)",
    ).bind(id, team.accountId, JSON.stringify(detections)),
    env.DB.prepare(
      "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', ?, ?)",
    ).bind(id, team.accountId, JSON.stringify(reasons), now + flagged),
  ]);
  return id;
}

async function stateOf(mediaId: string): Promise<string | undefined> {
  const row = await env.DB.prepare("SELECT state FROM media_reviews WHERE media_id = ?")
    .bind(mediaId)
    .first<{ state: string }>();
  return row?.state;
}

const json = { Accept: "application/json" };

describe("the queue", () => {
  test("leads from one file to the next and back, in the order in which they were flagged", async () => {
    const ids = [await waitingPhoto(), await waitingPhoto({ isDetectOnly: true }), await waitingPhoto()];
    const page = await team.member.page("/dashboard/review");
    expect(page).toContain("3 to review");
    expect(page).toContain("Heads: 9 found, more than 5");
    expect(page).toContain("can be downloaded meanwhile");
    const follow = async (query: string): Promise<string | null> =>
      (await team.member.visit(`/dashboard/review/next${query}`)).headers.get("Location");
    const [first, second, third] = ids;
    expect(await follow("")).toBe(`/dashboard/review/${first}`);
    expect(await follow(`?after=${first}`)).toBe(`/dashboard/review/${second}`);
    expect(await follow(`?after=${second}`)).toBe(`/dashboard/review/${third}`);
    expect(await follow(`?after=${third}`)).toBe("/dashboard/review?notice=review_end");
    const end = await team.member.page("/dashboard/review?notice=review_end");
    expect(end).toContain("You reached the end of the queue. 3 still to review.");
    expect(await follow(`?before=${third}`)).toBe(`/dashboard/review/${second}`);
    expect(await follow(`?before=${first}`)).toBe("/dashboard/review?notice=review_end");
  });

  test("has one row for a file of which several versions would wait: that of the newest one", async () => {
    const first = await waitingPhoto();
    const version = await correctedMedia(team.accountId, first, new Uint8Array([1]));
    const other = await waitingPhoto();
    await env.DB.prepare(
      "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', '[]', 1)",
    )
      .bind(version, team.accountId)
      .run();
    expect([await stateOf(first), await stateOf(version), await stateOf(other)]).toEqual([
      undefined,
      "waiting",
      "waiting",
    ]);
    expect(await team.member.page("/dashboard/review")).toContain("2 to review");
    await team.member.submit(`/dashboard/review/${version}/approve`);
    await env.DB.prepare(
      "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', '[]', 1)",
    )
      .bind(first, team.accountId)
      .run();
    // Only the newer version was decided on, so the older one may be sent to review separately.
    expect(await stateOf(first)).toBe("waiting");
    await team.member.submit(`/dashboard/review/${version}/undo`);
    expect([await stateOf(first), await stateOf(version)]).toEqual([undefined, "waiting"]);
  });

  test("lists at its end what the reviewer has decided on, each with a way back", async () => {
    const [first, second] = [await waitingPhoto(), await waitingPhoto()];
    for (const id of [first, second]) await team.member.submit(`/dashboard/review/${id}/approve`);
    const end = await team.member.page("/dashboard/review?notice=review_end");
    const ways = [...end.matchAll(/action="\/dashboard\/review\/([^/"]+)\/undo"/g)].map(([, id]) => id);
    expect(new Set(ways)).toEqual(new Set([first, second]));
    expect(await team.owner.page("/dashboard/review")).not.toContain("Undo approval");
    await team.member.submit(`/dashboard/review/${first}/undo`);
    expect(await stateOf(first)).toBe("waiting");
    expect(await team.member.page("/dashboard/review")).not.toContain(`/review/${first}/undo`);
  });

  test("says where a file stands in it, also after files have joined and left it", async () => {
    const ids = [await waitingPhoto(), await waitingPhoto(), await waitingPhoto()];
    const placeOf = async (id: string | undefined, query = ""): Promise<unknown> =>
      JSON.parse(await team.member.page(`/dashboard/review/${id}/place${query}`));
    expect(await team.member.page(`/dashboard/review/${ids[1]}`)).toContain("2 of 3 to review");
    await team.member.submit(`/dashboard/review/${ids[0]}/approve`);
    expect(await placeOf(ids[1])).toEqual({ text: "1 of 2 to review" });
    // The count continues in the visit that decided on the first file.
    expect(await placeOf(ids[1], "?decided=1")).toEqual({ text: "2 of 3 to review" });
    expect(await placeOf(ids[0], "?decided=1")).toEqual({ text: "2 to review" });
    expect(await placeOf(ids[1], "?decided=x")).toEqual({ text: "1 of 2 to review" });
    await waitingPhoto();
    expect(await placeOf(ids[2])).toEqual({ text: "2 of 3 to review" });
    expect(await placeOf(ids[0])).toEqual({ text: "3 to review" });
    // Files that can no longer be viewed are skipped.
    await env.DB.prepare("UPDATE media SET output_size_bytes = NULL, source_expires_at = 1 WHERE id = ?")
      .bind(ids[1])
      .run();
    expect(await placeOf(ids[2])).toEqual({ text: "1 of 2 to review" });
    await team.member.submit(`/dashboard/media/${ids[2]}/delete`);
    expect((await team.member.visit(`/dashboard/review/${ids[2]}/place`)).status).toBe(404);
  });

  test.for([
    ["kept", Date.now() + HOUR_MS, 2],
    ["deleted", 1, 1],
  ] as const)("shows a film beside its original while that is kept: %s", async ([, expiresAt, players]) => {
    const id = await waitingPhoto();
    await env.DB.prepare(
      "UPDATE media SET media_type = 'video', format = 'mp4', duration_seconds = 2, source_expires_at = ? WHERE id = ?",
    )
      .bind(expiresAt, id)
      .run();
    const page = await team.member.page(`/dashboard/review/${id}`);
    const sources = [...page.matchAll(/<video[^>]* src="([^"]+)"/g)].map(([, source]) => source);
    expect(sources).toEqual(
      [`/dashboard/media/${id}/source`, `/dashboard/media/${id}/output`].slice(-players),
    );
  });

  test("takes an approval without scripts and goes on", async () => {
    const [first, second] = [await waitingPhoto(), await waitingPhoto()];
    const answer = await team.member.submit(`/dashboard/review/${first}/approve`);
    expect(answer.headers.get("Location")).toBe(`/dashboard/review/next?after=${first}`);
    expect(await stateOf(first)).toBe("approved");
    const next = await team.member.visit(`/dashboard/review/next?after=${first}`);
    expect(next.headers.get("Location")).toBe(`/dashboard/review/${second}`);
    expect(await team.owner.page(`/dashboard/review/${first}`)).toContain("Approved by Some Person.");
    expect(await team.owner.page(`/dashboard/media/${first}`)).toContain("Approved by Some Person on ");
    expect(await team.owner.page("/dashboard/media")).toContain("by Some Person, ");
  });

  test("keeps a reviewer's note: on the pages, in the ZIP's list and in the audit trail, until the file is deleted", async () => {
    const id = await waitingPhoto({ isDetectOnly: true });
    const path = `/dashboard/review/${id}`;
    const text = "The face in the mirror\nis <open>.";
    const shown = "is &lt;open&gt;.";
    const answer = await team.member.submit(`${path}/notes`, { note: ` ${text} ` });
    expect([answer.status, answer.headers.get("Location")]).toEqual([303, path]);
    expect(await stateOf(id)).toBe("waiting");
    expect(await team.owner.page(path)).toContain(shown);
    expect(await team.owner.page(`/dashboard/media/${id}`)).toContain(shown);
    const listed = async (): Promise<string> => {
      const form = { id, csrf: await team.member.csrf() };
      const zip = await team.member.visit("/dashboard/media/selection/download", { form });
      const files = filesInZip(new Uint8Array(await zip.arrayBuffer()));
      return new TextDecoder().decode(files.get("manifest.csv"));
    };
    expect(await listed()).toContain(`): ${text}","not approved yet"`);
    const trail = await team.owner.page("/dashboard/audit?kind=media.review_noted");
    expect([trail.includes(shown), trail.includes("Some Person")]).toEqual([true, true]);
    const other = await createTeam(catchMails());
    expect((await other.member.submit(`${path}/notes`, { note: "Not theirs." })).status).toBe(404);
    for (const note of ["", " ", "x".repeat(1_001)])
      expect((await team.member.submit(`${path}/notes`, { note })).status).toBe(422);
    // Without scripts, the form sends a note together with the approval.
    await team.member.submit(`${path}/approve`, { note: "Checked at half speed." });
    const { resultId } = (await env.DB.prepare(
      "SELECT result_media_id AS resultId FROM media_reviews WHERE media_id = ?",
    )
      .bind(id)
      .first<{ resultId: string }>()) ?? { resultId: "" };
    const result = await team.owner.page(`/dashboard/media/${resultId}`);
    expect([result.includes(shown), result.includes("Checked at half speed.")]).toEqual([true, true]);
    await team.member.submit(`/dashboard/media/${id}/delete`);
    expect(await env.DB.prepare("SELECT count(*) AS notes FROM review_notes").first()).toEqual({ notes: 0 });
    const after = await team.owner.page("/dashboard/audit?kind=media.review_noted");
    expect([after.includes(id), after.includes("Checked at half speed.")]).toEqual([true, false]);
  });

  test("of a file that was only analyzed says on its page what to do next, and no longer after the approval", async () => {
    const id = await waitingPhoto({ isDetectOnly: true });
    const due = "The redacted file is made when you approve it.";
    expect(await team.owner.page(`/dashboard/media/${id}`)).toContain(due);
    expect(await team.owner.page(`/dashboard/review/${id}`)).toContain("until you approve");
    await team.member.submit(`/dashboard/review/${id}/approve`);
    const page = await team.owner.page(`/dashboard/media/${id}`);
    expect(page).not.toContain(due);
    expect(page).toContain("This file was reviewed and approved.");
    expect(page).not.toContain("This file was corrected.");
    expect(await team.owner.page(`/dashboard/review/${id}`)).not.toContain("until you approve");
  });

  test("shows in lists and on pages which files are ready for review, and afterwards who approved them", async () => {
    const id = await waitingPhoto({ isDetectOnly: true });
    const ready = '<span class="status pending">Ready for review</span>';
    for (const path of ["/dashboard/media", "/dashboard/media?view=grid", `/dashboard/media/${id}`]) {
      const page = await team.owner.page(path);
      expect(page).toContain(ready);
      expect(page).not.toContain('class="status completed"');
    }
    const uploadedAt = "2026-01-02T03:04:05.000Z";
    await env.DB.prepare("UPDATE media SET created_at = ? WHERE id = ?")
      .bind(Date.parse(uploadedAt), id)
      .run();
    const headers = { ...json, "X-CSRF-Token": await team.member.csrf() };
    const approval = await team.member.visit(`/dashboard/review/${id}/approve`, { method: "POST", headers });
    const { revision_id: resultId } = await approval.json<{ revision_id: string }>();
    await completed(team.accountId, resultId);
    const list = await team.owner.page("/dashboard/media");
    expect(list).not.toContain(ready);
    expect(list).toContain("by Some Person, ");
    expect(list).not.toContain('class="corrected"');
    expect(list).toContain("Before redaction");
    const result = await team.owner.page(`/dashboard/media/${resultId}`);
    expect(result).toContain("Approved by Some Person on ");
    expect(result).not.toContain("Corrected version of");
    for (const page of [list, result]) expect(page).toContain(`datetime="${uploadedAt}"`);
    const original = await team.owner.page(`/dashboard/media/${id}`);
    expect(original).toContain('<p class="notice">This file was reviewed.');
  });

  test("is a filter of the list, and the first page and lists say what waits", async () => {
    const redacted = await waitingPhoto();
    const analyzed = await waitingPhoto({ isDetectOnly: true });
    const list = await team.owner.page("/dashboard/media?status=to_review");
    for (const id of [redacted, analyzed]) expect(list).toContain(`id="media-${id}"`);
    expect(list).toContain("waiting for review");
    expect(list).toContain('<option value="to_review" selected="">Waiting for review</option>');
    expect(await team.owner.page("/dashboard")).toContain("Ready for review");
    await team.member.submit(`/dashboard/review/${redacted}/approve`);
    const left = await team.owner.page("/dashboard/media?status=to_review");
    expect(left).not.toContain(`id="media-${redacted}"`);
    expect(left).toContain(`id="media-${analyzed}"`);
  });

  test("knows that the original of a corrected version is that of the upload, and lets it be edited", async () => {
    const first = await waitingPhoto();
    await env.DB.prepare("DELETE FROM media_reviews WHERE media_id = ?").bind(first).run();
    const version = await correctedMedia(team.accountId, first, Uint8Array.of(2));
    await env.DB.batch([
      env.DB.prepare("UPDATE media SET source_expires_at = NULL, source_deleted_at = 1 WHERE id = ?").bind(
        version,
      ),
      env.DB.prepare(
        "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, ?, 1)",
      ).bind(version, team.accountId, JSON.stringify(detections)),
      env.DB.prepare(
        "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', '[]', 1)",
      ).bind(version, team.accountId),
    ]);
    expect(await team.member.page("/dashboard/review")).toContain("Kept until");
    const page = await team.member.page(`/dashboard/review/${version}`);
    expect(page).not.toContain("The original was deleted");
    expect(page).toContain("The original is kept until");
    expect(page).toContain(`<image href="/dashboard/media/${first}/source"`);
    await env.DB.prepare("UPDATE media SET source_deleted_at = 1 WHERE id = ?").bind(first).run();
    expect(await team.member.page("/dashboard/review")).toContain("Deleted");
    expect(await team.member.page(`/dashboard/review/${version}`)).toContain("The original was deleted");
  });

  test.for([
    [true, "seen_in_full", "seen in full", "yes"],
    [false, "not_seen_in_full", "without watching it to the end", "no"],
  ] as const)(
    "writes down whether a file was seen in full before it was approved: %s",
    async ([isSeen, code, words, cell]) => {
      const id = await waitingPhoto();
      const analyzed = await waitingPhoto({ isDetectOnly: true });
      const headers = {
        ...json,
        "Content-Type": "application/json",
        "X-CSRF-Token": await team.member.csrf(),
      };
      const report = async (mediaId: string, body: string): Promise<Response> =>
        await team.member.visit(`/dashboard/review/${mediaId}/approve`, { body, headers });
      expect((await report(id, '{"seen_in_full":"yes"}')).status).toBe(422);
      for (const mediaId of [id, analyzed])
        expect((await report(mediaId, JSON.stringify({ seen_in_full: isSeen }))).status).toBe(200);
      const { results } = await env.DB.prepare(
        "SELECT detail FROM audit_entries WHERE account_id = ? AND kind = 'media.approved' ORDER BY id",
      )
        .bind(team.accountId)
        .all<{ detail: string }>();
      expect(results.map(({ detail }) => detail)).toEqual([code, expect.stringMatching(` ${code}$`)]);
      expect(await team.owner.page("/dashboard/audit")).toContain(words);
      const form = new URLSearchParams([
        ["csrf", await team.member.csrf()],
        ["id", id],
      ]);
      for (const [mediaType, shown] of [
        ["image", ""],
        ["video", cell],
      ]) {
        await env.DB.prepare("UPDATE media SET media_type = ? WHERE id = ?").bind(mediaType, id).run();
        const zip = await team.member.visit("/dashboard/media/selection/download", { body: form });
        const bytes = new Uint8Array(await zip.arrayBuffer());
        const manifest = new Map(filesInZip(bytes)).get("manifest.csv");
        const [head, line] = new TextDecoder().decode(manifest).split("\r\n");
        expect(head).toContain(',"seen_in_full"');
        expect(line?.endsWith(`,"${shown}","",""`)).toBe(true);
      }
    },
  );

  test("tells the second of two reviewers that the first has decided", async () => {
    const id = await waitingPhoto({ isDetectOnly: true });
    const [owner, member] = [await team.owner.csrf(), await team.member.csrf()];
    const path = `/dashboard/review/${id}`;
    const approve = await team.owner.visit(`${path}/approve`, {
      method: "POST",
      headers: { ...json, "X-CSRF-Token": owner },
    });
    expect(approve.status).toBe(200);
    const { revision_id: revisionId } = await approve.json<{ revision_id: string }>();
    const correct = await team.member.visit(`${path}/revisions`, {
      body: `{"redact":"none"}`,
      headers: { ...json, "Content-Type": "application/json", "X-CSRF-Token": member },
    });
    expect(correct.status).toBe(409);
    expect(await correct.json()).toMatchObject({ error: { details: { reason: "already_decided" } } });
    const undone = await team.member.visit(`${path}/undo`, {
      method: "POST",
      headers: { ...json, "X-CSRF-Token": member },
    });
    expect(undone.status).toBe(409);
    expect(await stateOf(id)).toBe("approved");
    expect((await call(`/media/${revisionId}`, { apiKey: team.apiKey })).status).toBe(200);
  });

  test("a correction in the editor of a file that waits is its review, and the result is the approved version", async () => {
    const id = await waitingPhoto({ isDetectOnly: true });
    const editor = await team.member.page(`/dashboard/media/${id}/edit`);
    expect(editor).toContain("Apply and approve");
    expect(editor).toContain(`data-applied-path="/dashboard/review/next?after=${id}"`);
    const made = await team.member.visit(`/dashboard/media/${id}/revisions`, {
      body: `{"redact":"none"}`,
      headers: { ...json, "Content-Type": "application/json", "X-CSRF-Token": await team.member.csrf() },
    });
    expect(made.status).toBe(201);
    const { id: revisionId } = await made.json<{ id: string }>();
    expect(await stateOf(id)).toBe("corrected");
    const review = await team.member.page(`/dashboard/review/${id}`);
    expect(review).toContain(`href="/dashboard/media/${revisionId}"`);
    expect(await team.member.page("/dashboard/review")).toContain("Nothing is waiting for review");
    expect(await team.owner.page("/dashboard/audit")).toContain("Corrected");
    const again = await team.member.page(`/dashboard/media/${id}/edit`);
    expect(again).not.toContain("Apply and approve");
  });

  test("is not the API's: no field of a media tells of it, and a revision by a key decides nothing", async () => {
    const id = await waitingPhoto({ isDetectOnly: true });
    const before = await (await call(`/media/${id}`, { apiKey: team.apiKey })).text();
    const made = await call(`/media/${id}/revisions`, {
      method: "POST",
      apiKey: team.apiKey,
      headers: { "Content-Type": "application/json" },
      body: `{"redact":"all"}`,
    });
    expect(made.status).toBe(201);
    expect(await stateOf(id)).toBe("waiting");
    await team.owner.submit(`/dashboard/review/${id}/approve`);
    expect(await stateOf(id)).toBe("approved");
    expect(await (await call(`/media/${id}`, { apiKey: team.apiKey })).text()).toBe(before);
  });

  test("shows names as text and has no photo of another team", async () => {
    const { id } = await uploaded(team.apiKey, { filename: `<img src=x>"'.png` });
    await completed(team.accountId, id);
    await env.DB.prepare(
      "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', '[]', 1)",
    )
      .bind(id, team.accountId)
      .run();
    for (const path of ["/dashboard/review", `/dashboard/review/${id}`])
      expect(await team.owner.page(path)).not.toContain("<img src=x>");
    const stranger = await createTeam(catchMails());
    expect(await stranger.owner.page("/dashboard/review")).toContain("Nothing is waiting for review.");
    expect((await stranger.owner.visit(`/dashboard/review/${id}`)).status).toBe(404);
    const beside = await stranger.owner.visit(`/dashboard/review/next?after=${id}`);
    expect(beside.headers.get("Location")).toBe("/dashboard/review?notice=review_end");
  });
});

async function save(form: Record<string, string>): Promise<Response> {
  return await team.owner.submit("/dashboard/review/rules", form);
}

async function savedRules(): Promise<unknown> {
  const row = await env.DB.prepare("SELECT rules FROM review_rules WHERE account_id = ?")
    .bind(team.accountId)
    .first<{ rules: string }>();
  return row === null ? undefined : JSON.parse(row.rules);
}

describe("rules", () => {
  test("are set by owners, seen by members, and written down", async () => {
    const answer = await save({ more_than_all: "20", more_than_heads: "", from_heads: "30", to_heads: "60" });
    expect(answer.headers.get("Location")).toBe("/dashboard/review?notice=review_rules_changed");
    expect(await savedRules()).toEqual({
      moreThan: { all: 20 },
      between: { heads: { fromPercent: 30, toPercent: 60 } },
    });
    const seen = await team.member.page("/dashboard/review");
    expect(seen).toContain("Heads: a confidence from 30 to 60%");
    expect(seen).not.toContain("Save rules");
    await save({});
    expect(await savedRules()).toEqual({ moreThan: {}, between: {} });
    const { results } = await env.DB.prepare("SELECT kind FROM audit_entries WHERE account_id = ? AND id > ?")
      .bind(team.accountId, firstIdAt(0))
      .all();
    expect(results).toEqual([{ kind: "review_rules.changed" }, { kind: "review_rules.changed" }]);
  });

  test("send files with verification findings to review beside any preset", async () => {
    await save({ preset: "everything", verification_findings: "on" });
    expect(await savedRules()).toEqual({ moreThan: { all: 0 }, between: {}, verificationFindings: true });
    const page = await team.owner.page("/dashboard/review");
    expect(page).toMatch(/name="verification_findings" checked/);
    expect(await team.member.page("/dashboard/review")).toContain("Verification findings");
    await save({ preset: "none" });
    expect(await savedRules()).toEqual({ moreThan: {}, between: {} });
  });

  test.for([
    ["none", {}, { moreThan: {}, between: {} }],
    ["everything", {}, { moreThan: { all: 0 }, between: {} }],
    [
      "uncertain",
      { uncertain_from: "25", uncertain_to: "55" },
      { moreThan: {}, between: { all: { fromPercent: 25, toPercent: 55 } } },
    ],
    ["custom", { more_than_heads: "3" }, { moreThan: { heads: 3 }, between: {} }],
  ] as const)(
    "the preset %s stores rules of the same kind, and is shown as chosen",
    async ([preset, fields, rules]) => {
      // The values of presets that are not selected are ignored.
      const other = preset === "custom" ? { uncertain_from: "1" } : { more_than_tattoos: "7" };
      const answer = await save({ preset, ...other, ...fields });
      expect(answer.headers.get("Location")).toBe("/dashboard/review?notice=review_rules_changed");
      expect(await savedRules()).toEqual(rules);
      const page = await team.owner.page("/dashboard/review");
      const checked = /<input type="radio"[^>]*value="([a-z]+)" checked/.exec(page);
      expect(checked?.[1]).toBe(preset);
      if (preset === "uncertain") expect(page).toMatch(/name="uncertain_from"[^>]*value="25"/);
    },
  );

  test("a range of the preset is refused beside its own field", async () => {
    const answer = await save({ preset: "uncertain", uncertain_from: "60", uncertain_to: "130" });
    expect(answer.status).toBe(422);
    const page = await answer.text();
    expect(page).toMatch(/id="uncertain_to-fault">The confidence must be at most 100 percent/);
    expect(page).toMatch(/value="uncertain" checked/);
    expect(await savedRules()).toBeUndefined();
  });

  test.for([
    [{ more_than_heads: "-1" }, "The number must be at least 0."],
    [{ more_than_heads: "1.5" }, "The number must be a whole one"],
    [{ more_than_heads: "many" }, "The number must be"],
    [{ more_than_heads: "1e9" }, "The number must be at most 10000."],
    [{ from_heads: "101" }, "The confidence must be at most 100 percent."],
    [{ from_heads: "60", to_heads: "30" }, "The first confidence is above the second."],
    [{ to_heads: "NaN" }, "The confidence must be a whole number"],
  ] as const)("%j is refused: %s", async ([form, sentence]) => {
    const answer = await save(form);
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(sentence);
    expect(await savedRules()).toBeUndefined();
  });
});
