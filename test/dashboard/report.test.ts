import { env, exports } from "cloudflare:workers";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { z } from "zod";
import type { StoredDetection } from "../../src/records/media/detections.ts";
import { fromBase64Url } from "../../src/ground/platform/ids.ts";
import { reportSchema } from "../../src/records/report/report.schemas.ts";
import { DASHBOARD_ORIGIN } from "../support/browser.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";

const NAME = "witness <b>.png";

let team: TestTeam;
let id: string;

beforeEach(async () => {
  team = await createTeam(catchMails());
  ({ id } = await uploaded(team.apiKey, { filename: NAME }));
});

afterAll(() => {
  vi.restoreAllMocks();
});

const head: StoredDetection = {
  id: "det_0_1",
  category: "heads",
  confidence: 0.9,
  box: [0.1, 0.2, 0.3, 0.4],
};

async function keepDetections(mediaId: string, detections: readonly StoredDetection[]): Promise<void> {
  await env.DB.prepare(
    "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, ?, 1, 0)",
  )
    .bind(mediaId, team.accountId, JSON.stringify(detections))
    .run();
}

/** A correction by the owner that uncovers one head and covers another. */
async function corrected(): Promise<string> {
  await completed(team.accountId, id, new Uint8Array(1_000));
  const revisionId = await correctedMedia(team.accountId, id, new Uint8Array(2_000));
  await env.DB.prepare("UPDATE media_revisions SET made_by = ? WHERE media_id = ?")
    .bind(team.ownerId, revisionId)
    .run();
  await keepDetections(revisionId, [
    { ...head, id: "det_0_1", isOpen: true },
    { ...head, id: "det_0_2", isOpenByDefault: true },
    { ...head, id: "det_0_3" },
  ]);
  return revisionId;
}

test("the page of a completed file leads to its report, and others have none", async () => {
  expect(await team.owner.page(`/dashboard/media/${id}`)).not.toContain(`/media/${id}/report`);
  const early = await team.owner.visit(`/dashboard/media/${id}/report`);
  expect([early.status, await early.text()]).toEqual([
    404,
    expect.stringContaining("Its report is available once it is completed."),
  ]);
  await completed(team.accountId, id);
  expect(await team.owner.page(`/dashboard/media/${id}`)).toContain(`href="/dashboard/media/${id}/report"`);
});

test("the report names who decided on what, with the names of members", async () => {
  const revisionId = await corrected();
  await env.DB.prepare("UPDATE media SET source_sha256 = ?, output_sha256 = ? WHERE id = ?")
    .bind("a".repeat(64), "b".repeat(64), revisionId)
    .run();
  const page = await team.member.page(`/dashboard/media/${revisionId}/report`);
  expect(page).toContain("witness &lt;b&gt;.png");
  for (const hash of ["a", "b"]) expect(page).toContain(`<code>${hash.repeat(64)}</code>`);
  const rows = [...page.matchAll(/<tr>(.*?)<\/tr>/gs)].map(([, row = ""]) =>
    row.replaceAll(/<\/t[dh]>/g, "|").replaceAll(/<[^>]+>/g, ""),
  );
  expect(rows).toContain("det_0_2|Heads|30.0% × 40.0% at 10.0%, 20.0%|Some Person|none|");
  expect(rows).toContain("det_0_3|Heads|30.0% × 40.0% at 10.0%, 20.0%|Detector|none|");
  expect(rows).toContain("det_0_1|Heads|Some Person|none|");
  expect(page).toContain("Masks (2)");
  expect(page).toContain("Second reading</dt><dd>not done");
});

test("the signed report is downloaded with the file's name, and its key is listed", async () => {
  const revisionId = await corrected();
  const answer = await team.owner.visit(`/dashboard/media/${revisionId}/report/export?format=jws`);
  expect(answer.headers.get("Content-Type")).toBe("application/jose");
  expect(answer.headers.get("Content-Disposition")).toContain('filename="witness <b>.png.report.jws"');
  const jws = new TextDecoder().decode(await answer.arrayBuffer());
  const [header = {}, payload] = jws
    .split(".")
    .slice(0, 2)
    .map((part): unknown => JSON.parse(new TextDecoder().decode(fromBase64Url(part))));
  expect(reportSchema.parse(payload).media).toMatchObject({ id: revisionId, output_bytes: 2_000 });
  const listed = await exports.default.fetch(new Request(`${DASHBOARD_ORIGIN}/.well-known/jwks.json`));
  const { keys } = z.object({ keys: z.array(z.object({ kid: z.string() })) }).parse(await listed.json());
  expect(keys.map(({ kid }) => kid)).toContain(z.object({ kid: z.string() }).parse(header).kid);
});

test("the masks are downloaded as CSV, and nothing else is", async () => {
  const revisionId = await corrected();
  const address = `/dashboard/media/${revisionId}/report/export`;
  const csv = await (await team.owner.visit(`${address}?format=csv`)).text();
  expect(
    csv
      .split("\r\n")
      .slice(1, 3)
      .map((line) => line.split(",")[2]),
  ).toEqual(['"det_0_2"', '"det_0_3"']);
  expect((await team.owner.visit(`${address}?format=pdf`)).status).toBe(422);
});
