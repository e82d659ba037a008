import { env } from "cloudflare:workers";
import { afterAll, beforeEach, describe, expect, test, vi } from "vitest";
import { UniqueNames } from "../../src/records/media/archive.service.ts";
import { toHex } from "../../src/ground/platform/ids.ts";
import { completed, correctedMedia } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploaded } from "../support/uploads.ts";
import { filesInZip } from "../support/zip.ts";

let team: TestTeam;

beforeEach(async () => {
  team = await createTeam(catchMails());
});

afterAll(() => {
  vi.restoreAllMocks();
});

async function done(filename: string, output: string): Promise<string> {
  const { id } = await uploaded(team.apiKey, { filename });
  await completed(team.accountId, id, Uint8Array.from(new TextEncoder().encode(output)));
  return id;
}

/** The files of a ZIP as texts, and its manifest by column name. */
async function openZip(
  answer: Response,
): Promise<{ files: Record<string, string>; manifest: Record<string, string>[] }> {
  const entries = [...filesInZip(new Uint8Array(await answer.arrayBuffer()))];
  const texts = entries.map(([name, bytes]) => [name, new TextDecoder().decode(bytes)] as const);
  const { "manifest.csv": list = "", ...files } = Object.fromEntries(texts);
  const [names = [], ...lines] = list
    .split("\r\n")
    .slice(0, -1)
    .map((line) => line.slice(1, -1).split('","'));
  return {
    files,
    manifest: lines.map((cells) => Object.fromEntries(names.map((name, at) => [name, cells[at] ?? ""]))),
  };
}

/** The files of a ZIP as texts, without the manifest. */
async function filesIn(answer: Response): Promise<Record<string, string>> {
  return (await openZip(answer)).files;
}

async function sha256Of(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return toHex(new Uint8Array(digest));
}

/** A completed revision of a media item, with its own output. */
async function corrected(firstId: string, output: string): Promise<string> {
  return await correctedMedia(team.accountId, firstId, Uint8Array.from(new TextEncoder().encode(output)));
}

async function trail(): Promise<string[]> {
  const { results } = await env.DB.prepare(
    "SELECT subject_id AS id FROM audit_entries WHERE account_id = ? AND kind = 'media.downloaded' ORDER BY 1",
  )
    .bind(team.accountId)
    .all<{ id: string }>();
  return results.map(({ id }) => id);
}

async function send(
  action: string,
  ids: readonly string[],
  fields: Readonly<Record<string, string>> = {},
): Promise<Response> {
  const form = new URLSearchParams([
    ["csrf", await team.member.csrf()],
    ...ids.map((id) => ["id", id]),
    ...Object.entries(fields),
  ]);
  return await team.member.visit(`/dashboard/media/selection/${action}`, { body: form });
}

describe("all that match", () => {
  test("come as one ZIP of the redacted files, each under a name of its own, and each is written down", async () => {
    const ids = [
      await done("photo.png", "one"),
      await done("photo.png", "two"),
      await done("Photo.png", "three"),
    ];
    await done("other.png", "four");
    await uploaded(team.apiKey, { filename: "photo waits.png" });
    const answer = await team.member.visit("/dashboard/media/archive?search=photo");
    expect(answer.headers.get("Content-Type")).toBe("application/zip");
    expect(answer.headers.get("Content-Disposition")).toMatch(
      /^attachment; filename="veil-\d{4}-\d\d-\d\d\.zip"/,
    );
    expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
    const files = await filesIn(answer);
    expect(
      Object.keys(files)
        .map((name) => name.toLowerCase())
        .sort(),
    ).toEqual(["photo (2).redacted.png", "photo (3).redacted.png", "photo.redacted.png"]);
    expect(Object.values(files).sort()).toEqual(["one", "three", "two"]);
    expect(await trail()).toEqual(ids.sort());
    const shown = await team.owner.page("/dashboard/audit");
    expect(shown).toContain("Downloaded 3 results as a ZIP");
    for (const id of ids) expect(shown).toContain(id);
  });

  test("omit items deleted in the meantime, and are an empty ZIP if nothing matches", async () => {
    const gone = await done("gone.png", "gone");
    await done("stays.png", "stays");
    await env.MEDIA.delete(`${team.accountId}/${gone}/output`);
    expect(await filesIn(await team.member.visit("/dashboard/media/archive"))).toEqual({
      "stays.redacted.png": "stays",
    });
    expect(await filesIn(await team.member.visit("/dashboard/media/archive?search=none"))).toEqual({});
  });

  test("name each file that has no result in the list, with the reason", async () => {
    const ids: Record<string, string> = {};
    for (const name of ["done", "looked", "failed", "waits"])
      ids[name] = await done(`case-${name}.png`, name);
    const update = (change: string, name: string) =>
      env.DB.prepare(`UPDATE media SET ${change} WHERE id = ?`).bind(ids[name]);
    await env.DB.batch([
      update("output_size_bytes = NULL, output_expires_at = NULL", "looked"),
      update("status = 'failed', failure_code = 'source_unreadable'", "failed"),
      update("status = 'queued'", "waits"),
    ]);
    const { files, manifest } = await openZip(
      await team.member.visit("/dashboard/media/archive?search=case"),
    );
    expect(Object.keys(files)).toEqual(["case-done.redacted.png"]);
    expect(Object.fromEntries(manifest.map((row) => [row["original_name"], row["reason_left_out"]]))).toEqual(
      {
        "case-done.png": "",
        "case-looked.png": "not approved yet",
        "case-failed.png": "failed: source_unreadable",
        "case-waits.png": "not finished yet",
      },
    );
    expect(await trail()).toEqual([ids["done"]]);
  });

  test("break off where storage breaks off: no ZIP that looks whole", async () => {
    await done("first.png", "first");
    const get = vi
      .spyOn(Object.getPrototypeOf(env.MEDIA) as R2Bucket, "get")
      .mockRejectedValue(new Error("R2 is down."));
    const answer = await team.member.visit("/dashboard/media/archive").catch(() => undefined);
    await expect((async () => await answer?.arrayBuffer())()).rejects.toThrow(/R2 is down/);
    get.mockRestore();
  });
});

describe("of what was corrected", () => {
  test("only the current version goes out, in its folder, with a list that proves each file", async () => {
    const first = await done("face.png", "uncorrected");
    await env.DB.prepare("UPDATE media SET folder = 'case 1/photos' WHERE id = ?").bind(first).run();
    const second = await corrected(first, "corrected");
    await done("=cmd.png", "other");
    const found = [
      { id: "d_1", category: "heads", box: [0, 0, 1, 1], confidence: 0.9 },
      { id: "d_2", category: "heads", box: [0, 0, 1, 1], confidence: 0.1, isOpen: true },
      { id: "r_1", category: null, box: [0, 0, 1, 1], confidence: null, isRequested: true },
    ];
    await env.DB.batch([
      env.DB.prepare(
        "INSERT INTO media_detections (media_id, account_id, detections, orientation, is_truncated) VALUES (?, ?, ?, 1, 0)",
      ).bind(second, team.accountId, JSON.stringify(found)),
      env.DB.prepare(
        "INSERT INTO media_reviews VALUES (?, ?, 'corrected', '[]', 1, 1767225600000, 'usr_gone', ?)",
      ).bind(first, team.accountId, second),
    ]);
    const answers = [
      await team.member.visit("/dashboard/media/archive?search=face"),
      await send("download", [first]),
      await send("download", [first, second]),
    ];
    for (const answer of answers) {
      const { files, manifest } = await openZip(answer);
      expect(files).toEqual({ "case 1/photos/face.redacted.png": "corrected" });
      expect(manifest).toEqual([
        {
          file_in_zip: "case 1/photos/face.redacted.png",
          original_name: "face.png",
          folder: "case 1/photos",
          id: second,
          is_current: "yes",
          source_sha256: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
          result_sha256: await sha256Of("corrected"),
          categories: "heads",
          masks_detected: "1",
          masks_added: "1",
          approved_by: "usr_gone",
          approved_at: "2026-01-01T00:00:00.000Z",
          // A photo is seen at once.
          seen_in_full: "",
          review_notes: "",
          reason_left_out: "",
        },
      ]);
    }
    expect(await trail()).toEqual([second]);
  });

  test("the archive is named after the folder that the files came from", async () => {
    const ids = [await done("a.png", "a"), await done("b.png", "b")];
    expect(nameOf(await send("download", ids))).toBe("veil-selection-DATE.zip");
    await move(ids[0], "Summer Holiday/Day 1");
    expect(nameOf(await send("download", ids))).toBe("veil-selection-DATE.zip");
    await move(ids[1], "Summer Holiday");
    expect(nameOf(await send("download", ids))).toBe("veil-summer-holiday-DATE.zip");
    expect(nameOf(await team.member.visit("/dashboard/media/archive?folder=Summer"))).toBe(
      "veil-summer-DATE.zip",
    );
    expect(nameOf(await send("download", ids, { approved: "only" }))).toBe(
      "veil-summer-holiday-DATE-approved.zip",
    );
  });

  test("all versions go out where they are asked for", async () => {
    const first = await done("face.png", "uncorrected");
    await corrected(first, "corrected");
    const { files, manifest } = await openZip(
      await team.member.visit("/dashboard/media/archive?versions=all"),
    );
    expect(files).toEqual({
      "face.redacted.png": "corrected",
      "face (2).redacted.png": "uncorrected",
    });
    expect(manifest.map((line) => line["is_current"])).toEqual(["yes", "no"]);
  });

  test("no name in the list is run as a formula, and quotes stay inside their cell", async () => {
    await done('=HYPERLINK("x").png', "a");
    const { manifest } = await openZip(await team.member.visit("/dashboard/media/archive"));
    expect(manifest[0]).toMatchObject({ file_in_zip: "'=HYPERLINK(_x_).redacted.png" });
    expect(manifest[0]?.["original_name"]).toBe('\'=HYPERLINK(""x"").png');
  });
});

describe("a selection", () => {
  test("is downloaded as a ZIP", async () => {
    const [first, , third] = [await done("a.png", "a"), await done("b.png", "b"), await done("c.png", "c")];
    expect(await filesIn(await send("download", [first, third]))).toEqual({
      "a.redacted.png": "a",
      "c.redacted.png": "c",
    });
  });

  test("is deleted with all files, also where one of it is gone already", async () => {
    const [first, second, third] = [
      await done("a.png", "a"),
      await done("b.png", "b"),
      await done("c.png", "c"),
    ];
    await env.MEDIA.put(`${team.accountId}/${first}/thumbnail`, "small");
    await team.owner.submit(`/dashboard/media/${second}/delete`);
    const answer = await send("delete", [first, second, first]);
    expect(answer.headers.get("Location")).toMatch(
      /^\/dashboard\/media\?notice=selection_deleted&record=req_/,
    );
    const { results } = await env.DB.prepare("SELECT id FROM media WHERE account_id = ?")
      .bind(team.accountId)
      .all();
    expect(results).toEqual([{ id: third }]);
    const { objects } = await env.MEDIA.list({ prefix: `${team.accountId}/` });
    expect(objects.every(({ key }) => key.includes(third))).toBe(true);
  });

  test("that is empty, too long or no selection changes nothing", async () => {
    const id = await done("a.png", "a");
    expect((await send("delete", [])).headers.get("Location")).toBe(
      "/dashboard/media?notice=selection_empty",
    );
    expect((await send("delete", [id, "../source"])).status).toBe(422);
    expect(
      (
        await send(
          "delete",
          Array.from({ length: 101 }, () => id),
        )
      ).status,
    ).toBe(422);
    expect((await team.member.visit(`/dashboard/media/${id}`)).status).toBe(200);
  });
});

test("names hold nothing that a file system takes for a path", () => {
  const names = new UniqueNames();
  expect(names.take("a/../b\\c:d.jpg")).toBe("a_.._b_c_d.jpg");
  expect(names.take("x.redacted.tar.gz")).toBe("x.redacted.tar.gz");
  expect(names.take("no ending")).toBe("no ending");
  expect(names.take("NO ENDING")).toBe("NO ENDING (2)");
  expect(names.take("a.png", "../x:/y. ")).toBe("__/x_/y__/a.png");
  expect(names.take("A.png", "../X:/y. ")).toBe("__/X_/y__/A (2).png");
});

/** The suggested name of an archive, with its date replaced. */
function nameOf(answer: Response): string | undefined {
  return /filename="([^"]*)"/
    .exec(answer.headers.get("Content-Disposition") ?? "")?.[1]
    ?.replace(/\d{4}-\d\d-\d\d/, "DATE");
}

async function move(id: string | undefined, folder: string): Promise<void> {
  await env.DB.prepare("UPDATE media SET folder = ? WHERE id = ?").bind(folder, id).run();
}
