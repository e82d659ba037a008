import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const BATCH = "0123456789abcdef0123456789abcdef";

let team: TestTeam;
let failed: string;

beforeEach(async () => {
  team = await createTeam(catchMails());
  failed = await failedFile("face.png");
});

afterAll(() => {
  vi.restoreAllMocks();
});

async function failedFile(filename: string, code = "retries_spent"): Promise<string> {
  const { id } = await uploaded(team.apiKey, { filename });
  await fail(id, code);
  return id;
}

async function fail(id: string, code = "retries_spent"): Promise<void> {
  await env.DB.prepare(
    `UPDATE media SET status = 'failed', failure_code = ?2, failed_at = ?3,
       source_expires_at = CASE WHEN source_deleted_at IS NULL THEN ?4 END WHERE id = ?1`,
  )
    .bind(id, code, Date.now(), Date.now() + 3_600_000)
    .run();
}

async function pageOf(path: string): Promise<string> {
  return await (await team.member.visit(path)).text();
}

async function retrySelected(ids: readonly string[], batch?: string): Promise<Response> {
  const form = new URLSearchParams([
    ["csrf", await team.member.csrf()],
    ...(batch === undefined ? [] : [["batch", batch]]),
    ...ids.map((id) => ["id", id]),
  ]);
  return await team.member.visit("/dashboard/media/selection/retry", { body: form });
}

async function retriesOf(id: string): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT media_id AS id FROM media_revisions WHERE first_media_id = ? ORDER BY media_id",
  )
    .bind(id)
    .all<{ id: string }>();
  return results.map((row) => row.id);
}

const BUTTON = 'form="retry" name="id"';

describe("a file that failed", () => {
  test("is retried from its page, once, and hangs under its retry from then on", async () => {
    expect(await pageOf(`/dashboard/media/${failed}`)).toContain(`action="/dashboard/media/${failed}/retry"`);
    const answer = await team.member.submit(`/dashboard/media/${failed}/retry`);
    const [retry = ""] = await retriesOf(failed);
    expect(answer.headers.get("Location")).toBe(`/dashboard/media/${retry}`);
    // A second click.
    const again = await team.member.submit(`/dashboard/media/${failed}/retry`);
    expect(again.headers.get("Location")).toBe(`/dashboard/media/${retry}`);
    expect(await retriesOf(failed)).toEqual([retry]);

    const list = await pageOf("/dashboard/media");
    expect(list.match(/<li id="media-/g)).toHaveLength(1);
    expect(list).toContain(`<li id="media-${retry}"`);
    expect(list).toMatch(
      new RegExp(`class="row-versions".*/dashboard/media/${failed}">Before the retry`, "s"),
    );
    expect(list).not.toContain('<span class="corrected">');
    expect(list).not.toContain(BUTTON);

    const old = await pageOf(`/dashboard/media/${failed}`);
    expect(old).toContain("This file was retried.");
    expect(old).not.toContain(`/${failed}/retry"`);
    await completed(team.accountId, retry);
    const page = await pageOf(`/dashboard/media/${retry}`);
    expect(page).toContain("Retry of");
    expect(page).not.toContain("Corrected version of");
    const trail = await env.DB.prepare(
      "SELECT actor_id AS actor, detail FROM audit_entries WHERE kind = 'media.retried' AND subject_id = ?",
    )
      .bind(retry)
      .first();
    expect(trail).toEqual({ actor: team.memberId, detail: failed });
  });

  test.for<[string, (id: string) => Promise<unknown>]>([
    ["is damaged", async (id) => await fail(id, "source_unreadable")],
    [
      "has no original any more",
      async (id) =>
        await env.DB.prepare("UPDATE media SET source_expires_at = NULL, source_deleted_at = 1 WHERE id = ?")
          .bind(id)
          .run(),
    ],
  ])("offers no retry where it %s", async ([, spoil]) => {
    await spoil(failed);
    for (const path of ["/dashboard/media", `/dashboard/media/${failed}`]) {
      const page = await pageOf(path);
      expect(page).toContain("Failed");
      expect(page).not.toContain("> Retry");
      expect(page).not.toContain(BUTTON);
      expect(page).not.toContain('selection/retry"><svg');
    }
    expect((await team.member.submit(`/dashboard/media/${failed}/retry`)).status).toBe(409);
    expect(await retriesOf(failed)).toEqual([]);
  });
});

describe("a selection", () => {
  test("is retried as far as it can be, and the list says how many files are", async () => {
    const list = await pageOf("/dashboard/media");
    expect(list).toContain(`${BUTTON} value="${failed}"`);
    expect(list).toContain('formaction="/dashboard/media/selection/retry"');
    const other = await failedFile("other.png");
    const damaged = await failedFile("damaged.png", "source_unreadable");
    const done = (await uploaded(team.apiKey)).id;
    await completed(team.accountId, done);
    const answer = await retrySelected([failed, other, damaged, done]);
    const location = answer.headers.get("Location") ?? "";
    expect(location).toBe("/dashboard/media?retried=2&unretried=2");
    expect(await pageOf(location)).toContain("2 files are being retried. 2 files are not: ");
    for (const [id, retries] of [
      [failed, 1],
      [other, 1],
      [damaged, 0],
      [done, 0],
    ] as const)
      expect(await retriesOf(id)).toHaveLength(retries);
    expect((await retrySelected([])).headers.get("Location")).toBe("/dashboard/media?notice=selection_empty");
  });

  test("is retried within the quota", async () => {
    await env.DB.prepare("UPDATE accounts SET images_per_period = 1 WHERE id = ?").bind(team.accountId).run();
    const answer = await retrySelected([failed, await failedFile("other.png")]);
    expect(answer.headers.get("Location")).toBe("/dashboard/media?retried=1&unretried=1");
  });

  test("reaches no media of another team", async () => {
    const stranger = await createTeam(catchMails());
    const own = team;
    team = stranger;
    expect((await retrySelected([failed])).headers.get("Location")).toContain("retried=0&unretried=1");
    expect((await team.member.submit(`/dashboard/media/${failed}/retry`)).status).toBe(404);
    team = own;
    expect(await retriesOf(failed)).toEqual([]);
  });
});

test("the page of an upload retries what failed of it, and is shown again", async () => {
  const answer = await team.member.visit("/dashboard/media", {
    body: await uploadForm({ filename: "first.png" }),
    headers: { "X-CSRF-Token": await team.member.csrf(), "X-Upload-Batch": BATCH },
  });
  const { id } = await answer.json<{ id: string }>();
  await fail(id);
  const page = await pageOf(`/dashboard/batches/${BATCH}`);
  expect(page).toContain("Retry the failed file");
  expect(await pageOf("/dashboard/batches")).toContain("1 failed");
  const retried = await retrySelected([id], BATCH);
  const location = retried.headers.get("Location") ?? "";
  expect(location).toBe(`/dashboard/batches/${BATCH}?retried=1&unretried=0`);
  const after = await pageOf(location);
  expect(after).toContain("1 file is being retried.");
  expect(after).not.toContain("Retry the failed file");
  // The list shows the state of a file's newest version.
  expect(await pageOf("/dashboard/batches")).not.toContain("1 failed");
});
