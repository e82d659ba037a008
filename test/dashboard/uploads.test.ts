import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CATEGORY_GROUPS, presetsOf } from "../../src/web/dashboard/upload/upload-choices.ts";
import { FAILURE_MESSAGES } from "../../src/ground/vocabulary/failures.ts";
import { REDACTION_CATEGORIES } from "../../src/ground/vocabulary/categories.ts";
import { Browser } from "../support/browser.ts";
import { png } from "../support/images.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

/** The size limit of the upload page with its styles and scripts, before compression. */
const MOST_BYTES = 102_000;

let team: TestTeam;

beforeEach(async () => {
  team = await createTeam(catchMails());
});

afterAll(() => {
  vi.restoreAllMocks();
});

async function progressOf(ids: readonly string[], by = team.member): Promise<unknown> {
  const query = new URLSearchParams(ids.map((id) => ["id", id]));
  const answer = await by.visit(`/dashboard/upload/progress?${query.toString()}`);
  expect(answer.status).toBe(200);
  const { media } = await answer.json<{ media: unknown }>();
  return media;
}

describe("the page for uploads", () => {
  test("offers every category once, in groups, and presets of served categories only", () => {
    const grouped = CATEGORY_GROUPS.flatMap(({ categories }) => Object.keys(categories));
    expect(grouped.sort()).toEqual([...REDACTION_CATEGORIES].sort());
    const presets = presetsOf(["heads", "writing"]);
    expect(presets.map(({ name, categories }) => [name, categories])).toEqual([
      ["street", ["heads"]],
      ["documents", ["writing"]],
      ["everything", ["heads", "writing"]],
    ]);
    expect(presetsOf(["writing"]).map(({ name }) => name)).toEqual(["documents", "everything"]);
  });

  test("is light", async () => {
    const page = await team.owner.page("/dashboard/upload");
    const assets = new Set([...page.matchAll(/\/dashboard\/assets\/[\w.-]+/g)].map(([path]) => path));
    let bytes = new TextEncoder().encode(page).length;
    for (const path of assets) bytes += (await (await team.owner.visit(path)).arrayBuffer()).byteLength;
    expect(assets.size).toBeGreaterThan(5);
    expect(bytes).toBeLessThan(MOST_BYTES);
  });
});

async function begin(announced: object, token?: string): Promise<Response> {
  return await team.member.visit("/dashboard/upload/resumable", {
    body: JSON.stringify(announced),
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "X-CSRF-Token": token ?? (await team.member.csrf()),
    },
  });
}

describe("an upload in parts", () => {
  test("is begun by a page without an API key, sent to the given address, and redacted in its team", async () => {
    const picture = await png({ width: 32, height: 24 });
    const answer = await begin({ filename: "large.png", size_bytes: picture.length });
    expect(answer.status).toBe(201);
    const told = await answer.json<{ upload_id: string; upload_path: string }>();
    expect(told.upload_path).toBe(`/api/v1/uploads/${told.upload_id}`);
    const sent = await new Browser().visit(told.upload_path, {
      method: "PATCH",
      body: picture,
      headers: {
        "Tus-Resumable": "1.0.0",
        "Upload-Offset": "0",
        "Content-Type": "application/offset+octet-stream",
      },
    });
    expect(sent.status).toBe(204);
    const order = new FormData();
    for (const [name, value] of [
      ["categories[]", "heads"],
      ["upload_id", told.upload_id],
      ["filename", "large.png"],
    ] as const)
      order.append(name, value);
    const stored = await team.member.visit("/dashboard/media", {
      body: order,
      headers: { Accept: "application/json", "X-CSRF-Token": await team.member.csrf() },
    });
    expect(await stored.json()).toMatchObject({ status: "queued", filename: "large.png" });
    expect(stored.status).toBe(201);
  });

  test("is begun for nobody without the session's proof, nor for a file that will not be taken", async () => {
    expect((await begin({ filename: "a.mp4", size_bytes: 5 }, "0".repeat(64))).status).toBe(403);
    for (const announced of [
      { filename: "", size_bytes: 5 },
      { filename: "a.mp4", size_bytes: 0 },
      { filename: "a.mp4", size_bytes: 6e9 },
      {},
    ])
      expect((await begin(announced)).status).toBe(422);
  });
});

describe("the progress of uploads", () => {
  test("says where each is, and why there is no file, in the team's own media alone", async () => {
    const [queued, done, failed] = [
      await uploaded(team.apiKey),
      await uploaded(team.apiKey),
      await uploaded(team.apiKey),
    ];
    await completed(team.accountId, done.id, new Uint8Array(4));
    await env.DB.prepare("UPDATE media SET status = 'failed', failure_code = 'worker_lost' WHERE id = ?")
      .bind(failed.id)
      .run();
    const ids = [queued.id, done.id, failed.id];
    const media = [
      { id: queued.id, status: "queued", has_output: false, progress: null, failure: null },
      { id: done.id, status: "completed", has_output: true, progress: null, failure: null },
      {
        id: failed.id,
        status: "failed",
        has_output: false,
        progress: null,
        failure: FAILURE_MESSAGES.worker_lost,
      },
    ];
    const found = await progressOf([...ids, crypto.randomUUID()]);
    expect(found).toHaveLength(3);
    expect(found).toEqual(expect.arrayContaining(media));
    const stranger = await createTeam(catchMails());
    expect(await progressOf(ids, stranger.owner)).toEqual([]);
    expect(await progressOf([])).toEqual([]);
  });

  test("is refused for invalid IDs, and for more than a hundred", async () => {
    for (const query of ["id=1", Array.from({ length: 101 }, () => `id=${crypto.randomUUID()}`).join("&")]) {
      const answer = await team.member.visit(`/dashboard/upload/progress?${query}`, {
        headers: { Accept: "application/json" },
      });
      expect(answer.status).toBe(422);
    }
  });
});
