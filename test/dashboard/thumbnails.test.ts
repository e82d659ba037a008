import { env } from "cloudflare:workers";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { completed } from "../support/leftovers.ts";
import { Browser } from "../support/browser.ts";
import { catchMails, createTeam, type SentMail, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

let mails: SentMail[];
let team: TestTeam;

beforeAll(async () => {
  mails = catchMails();
  team = await createTeam(mails);
});

afterAll(() => {
  vi.restoreAllMocks();
});

async function thumbnailOf(id: string): Promise<Response> {
  return await team.member.visit(`/dashboard/media/${id}/thumbnail`);
}

test("the list shows the small versions of completed items, and browsers never store them", async () => {
  const { id } = await uploaded(team.apiKey);
  expect(await team.member.page("/dashboard/media")).not.toContain(`${id}/thumbnail`);
  await completed(team.accountId, id);
  await env.MEDIA.put(`${team.accountId}/${id}/thumbnail`, "small");
  expect(await team.member.page("/dashboard/media")).toContain(`src="/dashboard/media/${id}/thumbnail"`);
  const answer = await thumbnailOf(id);
  expect(await answer.text()).toBe("small");
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    "cache-control": "private, no-store",
    "content-type": "image/webp",
    "x-content-type-options": "nosniff",
  });
});

test("what has none shows a drawing, also once its output is gone", async () => {
  const { id } = await uploaded(team.apiKey);
  await env.MEDIA.put(`${team.accountId}/${id}/thumbnail`, "of a job that has not ended");
  expect(await (await thumbnailOf(id)).text()).toMatch(/^<svg /);
  await completed(team.accountId, id);
  await env.DB.prepare("UPDATE media SET output_size_bytes = NULL WHERE id = ?").bind(id).run();
  expect(await (await thumbnailOf(id)).text()).toMatch(/^<svg /);
  expect(await team.member.page("/dashboard/media")).not.toContain(`${id}/thumbnail`);
});

test("a video shows its still as photos do, in the list and in the review queue", async () => {
  const { id } = await uploaded(team.apiKey);
  await env.DB.prepare("UPDATE media SET media_type = 'video' WHERE id = ?").bind(id).run();
  const drawn = await (await thumbnailOf(id)).text();
  await completed(team.accountId, id);
  await env.MEDIA.put(`${team.accountId}/${id}/thumbnail`, "still");
  expect(await (await thumbnailOf(id)).text()).toBe("still");
  const now = Date.now();
  await env.DB.batch([
    env.DB.prepare("UPDATE media SET source_expires_at = ? WHERE id = ?").bind(now + 3_600_000, id),
    env.DB.prepare(
      "INSERT INTO media_reviews (media_id, account_id, state, reasons, flagged_at) VALUES (?, ?, 'waiting', ?, ?)",
    ).bind(id, team.accountId, '[{"kind":"many","subject":"heads","found":9,"limit":5}]', now),
  ]);
  for (const path of ["media", "review"])
    expect(await team.member.page(`/dashboard/${path}`)).toContain(`src="/dashboard/media/${id}/thumbnail"`);
  // The placeholder says that there is no thumbnail, and names the kind of file.
  await env.MEDIA.delete(`${team.accountId}/${id}/thumbnail`);
  expect(await (await thumbnailOf(id)).text()).toBe(drawn);
  expect(drawn).toContain("<title>No thumbnail</title>");
});

test("a page of media brings a pass, which stands for its own team alone, unchanged and for a minute", async () => {
  const { id } = await uploaded(team.apiKey);
  await completed(team.accountId, id);
  await env.MEDIA.put(`${team.accountId}/${id}/thumbnail`, "passed");
  await team.member.page("/dashboard/media");
  const pass = team.member.cookies.get("veil_thumbnails") ?? "";
  const statusWith = async (cookie: string, mediaId = id): Promise<number> => {
    const headers = { Cookie: `veil_thumbnails=${cookie}` };
    return (await new Browser().visit(`/dashboard/media/${mediaId}/thumbnail`, { headers })).status;
  };
  expect(await statusWith(pass)).toBe(200);
  const other = await createTeam(mails);
  const { id: foreign } = await uploaded(other.apiKey);
  // There is no session, so without a valid pass the answer redirects to the sign-in page.
  expect(await statusWith(pass, foreign)).toBe(303);
  const [, until = "", signature = ""] = pass.split(".");
  expect(await statusWith(`${other.accountId}.${until}.${signature}`, foreign)).toBe(303);
  expect(await statusWith(`${team.accountId}.${Number(until) + 60_000}.${signature}`)).toBe(303);
  const clock = vi.spyOn(Date, "now").mockReturnValue(Number(until) + 1);
  expect(await statusWith(pass)).toBe(303);
  clock.mockRestore();
});

test("a long name loses its middle and says it whole when pointed at", async () => {
  const filename = `${"holiday-in-the-mountains-".repeat(3)}IMG042.png`;
  await uploaded(team.apiKey, { filename });
  const page = await team.member.page("/dashboard/media");
  expect(page).toContain(`title="${filename}"`);
  expect(page).toContain("<span>IMG042.png</span>");
});
