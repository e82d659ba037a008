import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { CATEGORY_GROUPS, presetsOf } from "../../src/dashboard/parts/upload-choices.ts";
import { FAILURE_MESSAGES } from "../../src/vocabulary/failures.ts";
import { REDACTION_CATEGORIES } from "../../src/vocabulary/media-values.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

/** What the page for uploads may weigh, with its styles and scripts, before it is compressed on its way. */
const MOST_BYTES = 100_000;

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
  test("offers every category once, in groups, and presets of what is served alone", () => {
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
    expect(assets.size).toBeGreaterThan(20);
    expect(bytes).toBeLessThan(MOST_BYTES);
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

  test("is refused for what is no ID, and for more than a hundred", async () => {
    for (const query of ["id=1", Array.from({ length: 101 }, () => `id=${crypto.randomUUID()}`).join("&")]) {
      const answer = await team.member.visit(`/dashboard/upload/progress?${query}`, {
        headers: { Accept: "application/json" },
      });
      expect(answer.status).toBe(422);
    }
  });
});
