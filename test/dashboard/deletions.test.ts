import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { sweep } from "../../src/work/maintenance/sweeper.ts";
import { deletionsSchema } from "../../src/records/deletions/deletions.schemas.ts";
import { CONTENT_TABLES } from "../../src/records/deletions/leftovers.repository.ts";
import { parseApiEnv } from "../../src/ground/platform/env.ts";
import { bodyOf, call } from "../support/api.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

const DAY_MS = 86_400_000;
const NAME = "witness-at-the-door.png";

let team: TestTeam;

beforeEach(async () => {
  team = await createTeam(catchMails());
});

afterAll(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function mediaOf(filename = NAME): Promise<string> {
  const { id } = await uploaded(team.apiKey, { filename });
  await completed(team.accountId, id, new Uint8Array(100));
  return id;
}

/** Deletes a selection in the dashboard. @returns the address of the deletion record that the page then shows */
async function deleteSelected(ids: readonly string[]): Promise<string> {
  const form = new URLSearchParams([["csrf", await team.owner.csrf()], ...ids.map((id) => ["id", id])]);
  const answer = await team.owner.visit("/dashboard/media/selection/delete", { body: form });
  const page = await team.owner.page(answer.headers.get("Location") ?? "");
  const link = /href="(\/dashboard\/deletions\?request=[^"]+)"/.exec(page)?.[1];
  if (link === undefined) throw new Error("The page leads to no deletion record.");
  return link;
}

async function exportOf(link: string, format: "csv" | "json"): Promise<string> {
  return await (await team.owner.visit(`${link.replace("?", "/export?")}&format=${format}`)).text();
}

async function provenBy(query: string, apiKey = team.apiKey) {
  return await bodyOf(await call(`/deletions${query}`, { apiKey }), deletionsSchema);
}

async function keepNames(days: string): Promise<Response> {
  return await team.owner.submit("/dashboard/audit/names", { keepsNames: "on", nameDays: days });
}

/** The exported audit entries about one media item. */
async function trailOf(id: string, query = ""): Promise<string[]> {
  const text = await (await team.owner.visit(`/dashboard/audit/export${query}`)).text();
  return text.split("\r\n").filter((line) => line.includes(id));
}

describe("the record of a deleted selection", () => {
  test("is what the list of media leads to when no file is left", async () => {
    await deleteSelected([await mediaOf("only.png")]);
    expect(await team.member.page("/dashboard/media")).toContain(
      'All files are deleted. See the <a href="/dashboard/deletions">deletion record</a>',
    );
  });

  test("is a page, JSON and CSV that say what, when, by whom, and that nothing is left", async () => {
    const first = await mediaOf();
    const second = await correctedMedia(team.accountId, first, Uint8Array.of(2));
    await env.DB.prepare("UPDATE media SET source_sha256 = ?1, output_sha256 = ?2 WHERE id = ?3")
      .bind("a".repeat(64), "b".repeat(64), first)
      .run();
    const madeAt = new Date(Date.now() + 1_000).toISOString();
    await env.DB.prepare("UPDATE media SET created_at = ?1 WHERE id = ?2")
      .bind(Date.parse(madeAt), second)
      .run();
    const other = await mediaOf("other.png");
    const link = await deleteSelected([second]);
    const page = await team.owner.page(link);
    expect(page).toContain("were deleted (1 upload, 1 later version)");
    expect(page).toContain("Nothing is left of them in storage or the database");
    for (const told of [first, second, "a".repeat(64), "b".repeat(64)]) expect(page).toContain(told);
    expect(page).not.toContain(NAME);
    expect(page).not.toContain(other);
    // The record names the person and the request, and a search for a name stays within the request.
    const request = /req_[0-9a-f-]{36}/.exec(link)?.[0] ?? "";
    expect(page).toContain(`<code>${request}</code>`);
    expect(page).toContain(`name="request" value="${request}"`);
    expect(page).toMatch(/Some Person \(person-\d+@example\.com\)/);
    expect(page).toContain("<dt>Remaining</dt><dd>nothing</dd>");
    const record = deletionsSchema.parse(JSON.parse(await exportOf(link, "json")));
    const byId = new Map(record.data.map((one) => [one.media_id, one]));
    expect(byId.get(second)?.revision_of).toBe(first);
    expect(byId.get(first)).toMatchObject({
      revision_of: null,
      file_name: null,
      source_sha256: "a".repeat(64),
      result_sha256: "b".repeat(64),
      deleted_by: { type: "user", id: team.ownerId, name: "Some Person" },
      objects_left: 0,
      rows_left: 0,
    });
    // A version has the upload time of its file and its own creation time.
    const uploadedAt = byId.get(first)?.uploaded_at;
    expect(byId.get(first)?.version_made_at).toBeNull();
    expect(byId.get(second)).toMatchObject({ uploaded_at: uploadedAt, version_made_at: madeAt });
    expect(uploadedAt).not.toBe(madeAt);
    const [header, ...lines] = (await exportOf(link, "csv")).trimEnd().split("\r\n");
    expect(header).toContain('"media_id","revision_of"');
    expect(header).toContain('"uploaded_at","version_made_at","deleted_at"');
    expect(lines.find((line) => line.startsWith(`"${second}"`))).toContain(`"${uploadedAt}","${madeAt}"`);
    // On paper, each file is a row of a table.
    const printed = /<table class="printed">.*<\/table>/s.exec(page)?.[0] ?? "";
    expect(printed.match(/<tr>/g)).toHaveLength(3);
    expect(lines.filter((line) => line.includes("Some Person"))).toHaveLength(2);
  });

  test("is where the page of a deleted file leads, and the list says how many went", async () => {
    const first = await mediaOf();
    const second = await correctedMedia(team.accountId, first, Uint8Array.of(2));
    const form = new URLSearchParams([["csrf", await team.owner.csrf()]]);
    for (const id of [second, await mediaOf("b.png")]) form.append("id", id);
    const answer = await team.owner.visit("/dashboard/media/selection/delete", { body: form });
    expect(await team.owner.page(answer.headers.get("Location") ?? "")).toContain(
      "2 files and all their versions (3 in all) were deleted.",
    );
    const gone = await team.owner.visit(`/dashboard/media/${first}`);
    expect(gone.headers.get("Location")).toBe(`/dashboard/deletions?id=${first}`);
    const stranger = await createTeam(catchMails());
    expect((await stranger.owner.visit(`/dashboard/media/${first}`)).status).toBe(404);
  });

  test("shows what remains: an object in storage, an event that has not arrived", async () => {
    const id = await mediaOf();
    await deleteSelected([id]);
    await env.MEDIA.put(`${team.accountId}/${id}/output`, "written late");
    await env.DB.prepare(
      `INSERT INTO events (id, account_id, media_id, kind, payload, request_id, created_at)
       VALUES ('evt_left', ?1, ?2, 'media.processed', '{"media":{"filename":"x"}}', 'req_', 1)`,
    )
      .bind(team.accountId, id)
      .run();
    const [proof] = (await provenBy(`?media_id=${id}`)).data;
    expect(proof).toMatchObject({ objects_left: 1, rows_left: 1 });
    expect(await team.owner.page(`/dashboard/deletions?id=${id}`)).toContain("1 of them has something left");
    await env.DB.prepare("DELETE FROM events WHERE id = 'evt_left'").run();
    vi.useFakeTimers({ now: Date.now() + DAY_MS, toFake: ["Date"] });
    await sweep(parseApiEnv(env));
    vi.useRealTimers();
    const [later] = (await provenBy(`?media_id=${id}`)).data;
    expect(later).toMatchObject({ objects_left: 0, rows_left: 0, purge_again_at: null });
  });

  test("asks every table that knows media", async () => {
    const { results } = await env.DB.prepare(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND (sql LIKE '%`media_id`%' OR sql LIKE '% media_id %')",
    ).all<{ name: string }>();
    const withoutContent = new Set(["object_purges", "deletion_records"]);
    const expected = results.map(({ name }) => name).filter((name) => !withoutContent.has(name));
    expect(new Set(["media", ...expected])).toEqual(new Set(Object.keys(CONTENT_TABLES)));
  });
});

describe("the API", () => {
  test("proves what a key has deleted, page by page, to its own account alone", async () => {
    const ids = [await mediaOf(), await mediaOf("b.png"), await mediaOf("c.png")];
    for (const id of ids) await call(`/media/${id}`, { method: "DELETE", apiKey: team.apiKey });
    const first = await provenBy("?per_page=2");
    expect(first.data).toHaveLength(2);
    const next = new URL(first.links.next ?? "");
    const second = await provenBy(next.search);
    expect(second.links.next).toBeNull();
    const seen = [...first.data, ...second.data].map((one) => one.media_id);
    expect(seen.toSorted()).toEqual(ids.toSorted());
    expect(first.data[0]?.deleted_by).toMatchObject({ type: "api_key", id: team.keyId });
    const stranger = await createTeam(catchMails());
    expect((await provenBy(`?media_id=${ids.join(",")}`, stranger.apiKey)).data).toEqual([]);
  });

  test("finds a file by its name, which is kept nowhere", async () => {
    const id = await mediaOf();
    await mediaOf("another.png");
    await call(`/media/${id}`, { method: "DELETE", apiKey: team.apiKey });
    const found = await provenBy(`?file_name=${NAME}`);
    expect(found.data.map((one) => one.media_id)).toEqual([id]);
    expect((await provenBy("?file_name=witness-at-the-window.png")).data).toEqual([]);
    const { results } = await env.DB.prepare("SELECT * FROM deletion_records").all();
    expect(JSON.stringify(results)).not.toContain("witness");
  });

  test.for([
    ["media_id=street.jpg", "media_id"],
    ["request_id=1", "request_id"],
    ["cursor=x", "cursor"],
    ["file_name=", "file_name"],
    ["per_page=0", "per_page"],
  ])("says what is wrong with %s", async ([query, field]) => {
    const answer = await call(`/deletions?${query}`, { apiKey: team.apiKey });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain(`"${field}":[`);
  });
});

describe("the audit trail", () => {
  test("tells a file by the same digest before and after its deletion, and is searched by name", async () => {
    const id = await mediaOf();
    const other = await mediaOf("other.png");
    const [before = ""] = await trailOf(id);
    const digest = /"([0-9a-f]{64})"$/.exec(before)?.[1];
    expect(digest).toBeDefined();
    expect(before).not.toContain(NAME);
    await deleteSelected([id]);
    const after = await trailOf(id, `?file=${NAME}`);
    expect(after).toHaveLength(2);
    expect(after.every((line) => line.endsWith(`"${digest}"`) && !line.includes(NAME))).toBe(true);
    expect(await trailOf(other, `?file=${NAME}`)).toEqual([]);
    // Each account has its own key, so another team's digest of the name differs.
    team = await createTeam(catchMails());
    const [elsewhere = ""] = await trailOf(await mediaOf());
    expect(elsewhere).not.toContain(digest ?? "");
  });

  test("says before a deletion whether names will be kept, and where that is set", async () => {
    const id = await mediaOf();
    const paths = ["/dashboard/media", `/dashboard/media/${id}`];
    for (const path of paths) {
      const page = await team.owner.page(path);
      expect(page.match(/File names will not be kept in the record\./g)).toHaveLength(2);
      expect(page).toContain('<a href="/dashboard/audit#names-title">Change this</a>');
    }
    expect(await team.member.page("/dashboard/media")).toContain("Owners of the team can change this.");
    await keepNames("7");
    for (const path of paths)
      expect((await team.owner.page(path)).match(/File names will be kept in the record\./g)).toHaveLength(2);
  });

  test("keeps names in clear where the account asks, and for as long as it asks", async () => {
    expect((await keepNames("7")).status).toBe(303);
    const id = await mediaOf();
    await deleteSelected([id]);
    const nameOf = async () => (await provenBy(`?media_id=${id}`)).data[0]?.file_name;
    expect(await nameOf()).toBe(NAME);
    expect((await trailOf(id)).every((line) => line.includes(NAME))).toBe(true);
    const start = Date.now();
    for (const [days, expected] of [
      [6, NAME],
      [8, null],
    ] as const) {
      vi.useFakeTimers({ now: start + days * DAY_MS, toFake: ["Date"] });
      await sweep(parseApiEnv(env));
      vi.useRealTimers();
      expect(await nameOf()).toBe(expected);
    }
  });

  test("forgets names at once when the account no longer asks for them", async () => {
    await keepNames("7");
    const id = await mediaOf();
    await deleteSelected([id]);
    await team.owner.submit("/dashboard/audit/names", { nameDays: "7" });
    expect((await provenBy(`?media_id=${id}`)).data[0]?.file_name).toBeNull();
    const trail = await team.owner.page("/dashboard/audit");
    expect(trail).not.toContain(NAME);
    expect(trail).toContain("Changed how file names are kept");
    expect((await keepNames("0")).status).toBe(422);
    expect((await team.member.submit("/dashboard/audit/names", { nameDays: "7" })).status).toBe(403);
  });
});
