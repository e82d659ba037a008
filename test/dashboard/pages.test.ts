import { env } from "cloudflare:workers";
import { afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { FILES, PAGES as PAGE_FILES } from "../../src/web/dashboard/parts/files.generated.ts";
import { shownBox, storedBox } from "../../src/pixels/geometry/orientation.ts";
import { FAILURE_MESSAGES } from "../../src/ground/vocabulary/failures.ts";
import { mediaSchema } from "../../src/records/media/media.schemas.ts";
import type { PageFiles } from "../../src/web/style/browser-files.ts";
import { bodyOf, call } from "../support/api.ts";
import { Browser } from "../support/browser.ts";
import { completed } from "../support/leftovers.ts";
import { catchMails, createTeam, type TestTeam } from "../support/people.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const PAGES = [
  "",
  "/media",
  "/upload",
  "/review",
  "/keys",
  "/webhooks",
  "/team",
  "/audit",
  "/security",
  "/plan",
  "/no-such-page",
];

let team: TestTeam;

beforeAll(async () => {
  team = await createTeam(catchMails());
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** A file of the dashboard, requested without a session. */
async function textOf(name: string, contentType: string): Promise<string> {
  const answer = await new Browser().visit(`/dashboard/assets/${name}`);
  expect([name, answer.status, answer.headers.get("Content-Type")]).toEqual([name, 200, contentType]);
  return await answer.text();
}

describe("every page", () => {
  test.for(PAGES)("/dashboard%s runs and shows nothing but the service's own files", async (path) => {
    const answer = await team.owner.visit(`/dashboard${path}`);
    const policy = answer.headers.get("Content-Security-Policy") ?? "";
    expect(policy).toContain("default-src 'none'");
    expect(policy).not.toContain("unsafe");
    expect(answer.headers.get("Cache-Control")).toBe("private, no-store");
    expect(answer.headers.get("X-Content-Type-Options")).toBe("nosniff");
    const page = await answer.text();
    expect(page).toMatch(/^<!doctype html><html lang="en">/);
    expect(page).not.toMatch(
      / style=| on[a-z]+="|<style|<script(?! type="module" src="\/dashboard\/assets\/)/,
    );
    expect([...page.matchAll(/(?:src|href|action)="(https?:)?\/\//g)]).toEqual([]);
    for (const [, guide = ""] of page.matchAll(/href="(\/docs[^"]*)"/g))
      expect([guide, (await team.owner.visit(guide)).status]).toEqual([guide, 200]);
  });

  test.for(Object.entries<PageFiles>(PAGE_FILES))(
    "its scripts import only what is served as a script, and what they import at once is fetched at once: %s",
    async ([, { styles, scripts, modules }]) => {
      const used = new Set(scripts);
      for (const script of used) {
        const code = await textOf(script, "text/javascript; charset=utf-8");
        for (const [, imported = ""] of code.matchAll(/(?:from|import)"\.\/([^"]+)"/g)) used.add(imported);
        for (const [, later = ""] of code.matchAll(/import\("\.\/([^"]+)"\)/g))
          await textOf(later, "text/javascript; charset=utf-8");
      }
      expect([...used].sort()).toEqual([...scripts, ...modules].sort());
      for (const style of styles) await textOf(style, "text/css; charset=utf-8");
      expect(scripts.length + styles.length).toBeGreaterThan(0);
    },
  );

  test("every file is of some page, and only editors' pages have what editors run", async () => {
    const used = new Set(
      Object.values<PageFiles>(PAGE_FILES).flatMap(({ styles, scripts, modules }) =>
        styles.concat(scripts, modules),
      ),
    );
    for (const name of used)
      for (const [, imported = ""] of (FILES[name] ?? "").matchAll(/(?:from|import\(?)"\.\/([^"]+\.js)"/g))
        used.add(imported);
    expect([...used].sort()).toEqual(Object.keys(FILES).sort());
    expect(await team.owner.page("/dashboard/media")).not.toContain("assets/editor");
    const media = await uploaded(team.apiKey);
    await completed(team.accountId, media.id);
    expect(await team.owner.page(`/dashboard/media/${media.id}/edit`)).toMatch(/assets\/editor-\w{8}\.js/);
  });

  test("a file is kept for good under its own hash; a page of an earlier deployment gets the one of today", async () => {
    const [name = ""] = PAGE_FILES.upload.scripts;
    const answer = await new Browser().visit(`/dashboard/assets/${name}`);
    expect(answer.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    const earlier = await new Browser().visit("/dashboard/assets/upload-00000000.js");
    expect(earlier.headers.get("Cache-Control")).toBe("public, max-age=0, must-revalidate");
    expect(await earlier.text()).toBe(await answer.text());
    for (const unknown of ["chunk-00000000.js", "upload.js", "nothing-00000000.js", "constructor"]) {
      const missing = await new Browser().visit(`/dashboard/assets/${unknown}`);
      expect([unknown, missing.status]).toEqual([unknown, 404]);
    }
  });

  test("names come out as text", async () => {
    const name = `<img src=x onerror="alert(1)">.png`;
    const media = await uploaded(team.apiKey, { filename: name });
    for (const path of ["/dashboard/media", `/dashboard/media/${media.id}`]) {
      const page = await team.owner.page(path);
      expect(page).toContain("&lt;img src=x onerror=&quot;alert(1)&quot;&gt;.png");
      expect(page).not.toContain("<img src=x");
    }
  });
});

test("the page of a failed media says what happened and what to do", async () => {
  const media = await uploaded(team.apiKey);
  await env.DB.prepare(
    "UPDATE media SET status = 'failed', failure_code = 'engine_out_of_memory' WHERE id = ?",
  )
    .bind(media.id)
    .run();
  const page = await team.owner.page(`/dashboard/media/${media.id}`);
  expect(page).toContain(FAILURE_MESSAGES.engine_out_of_memory);
  expect(page).not.toContain("engine_out_of_memory");
});

describe("secrets are shown once", () => {
  test("an API key, which works at once and not a moment after it is revoked", async () => {
    const made = await (await team.owner.submit("/dashboard/keys", { name: "Shown once" })).text();
    const apiKey = /veil_[\w-]{43}/.exec(made)?.[0] ?? "";
    expect((await call("/usage", { apiKey })).status).toBe(200);
    expect(made).toContain(`Authorization: Bearer ${apiKey}`);
    expect(made).toMatch(/data-copy="copyable-code"/);
    for (const path of PAGES) {
      expect(await (await team.owner.visit(`/dashboard${path}`)).text()).not.toContain(apiKey);
    }
    const row = await env.DB.prepare("SELECT id FROM api_keys WHERE name = 'Shown once' AND account_id = ?")
      .bind(team.accountId)
      .first<{ id: string }>();
    expect((await team.owner.submit(`/dashboard/keys/${row?.id}/revoke`)).status).toBe(303);
    expect((await call("/usage", { apiKey })).status).toBe(401);
  });

  test("an API key of some scopes and with an end, which its list and the audit trail tell", async () => {
    const form = { name: "Narrow", scopes: "read", ends_on: "2999-12-31" };
    const apiKey = /veil_[\w-]{43}/.exec(
      await (await team.owner.submit("/dashboard/keys", form)).text(),
    )?.[0];
    expect((await call("/usage", { apiKey: apiKey ?? "" })).status).toBe(200);
    expect((await call("/uploads", { method: "POST", apiKey: apiKey ?? "" })).status).toBe(401);
    const { results } = await env.DB.prepare(
      "SELECT detail FROM audit_entries WHERE account_id = ? AND kind = 'key.created' AND detail LIKE '%through%'",
    )
      .bind(team.accountId)
      .all();
    expect(results).toEqual([{ detail: "scopes: read, through 2999-12-31" }]);
    const page = await team.owner.page("/dashboard/keys");
    expect(page).toContain("through Dec 31, 2999 (UTC)");
    expect(page).not.toContain("3000");
    for (const wrong of [{ scopes: "all" }, { ends_on: "2020-01-01" }, { ends_on: "soon" }])
      expect((await team.owner.submit("/dashboard/keys", { ...form, ...wrong })).status).toBe(422);
  });

  test("a signing secret, and the one that a rotation makes", async () => {
    const url = "https://93.184.216.34/hook";
    const made = await (
      await team.owner.submit("/dashboard/webhooks", { url, event_kinds: "media.failed" })
    ).text();
    const first = /whsec_[\w-]{43}/.exec(made)?.[0] ?? "";
    const path = /\/dashboard\/webhooks\/whe_[\w-]+/.exec(made)?.[0] ?? "";
    const rotated = await (await team.owner.submit(`${path}/rotate`)).text();
    const second = /whsec_[\w-]{43}/.exec(rotated)?.[0] ?? "";
    expect(new Set([first, second, ""]).size).toBe(3);
    await team.owner.submit(`${path}/rotate`);
    expect(await team.owner.page(path)).toContain(`${path}/rotate`);
    await team.owner.submit(`${path}/rotate`);
    const full = await team.owner.page(path);
    expect(full.match(/A previous secret also signs until/g)).toHaveLength(3);
    expect(full).toContain("Four secrets sign, which is the limit");
    expect(full).not.toContain(`${path}/rotate`);
    const pages = `${await team.owner.page("/dashboard/webhooks")}${full}`;
    expect(pages).toContain(url);
    expect(pages).not.toMatch(/whsec_/);
  });

  test("an attempt that was answered with an error says the status of the answer", async () => {
    const url = "https://93.184.216.34/answers";
    await team.owner.submit("/dashboard/webhooks", { url, event_kinds: "media.failed" });
    const endpoint = await env.DB.prepare("SELECT id FROM webhook_endpoints WHERE url = ? AND account_id = ?")
      .bind(url, team.accountId)
      .first<{ id: string }>();
    const sent = await team.owner.submit(`/dashboard/webhooks/${endpoint?.id}/test`, {
      kind: "media.failed",
    });
    const path = sent.headers.get("Location") ?? "";
    await env.DB.prepare(
      `INSERT INTO webhook_attempts (delivery_id, number, account_id, started_at, duration_ms, outcome, url,
         request_headers, response_status, is_response_cut)
       VALUES (?, 1, ?, 0, 5, 'refused_by_status', ?, '{}', 500, 0)`,
    )
      .bind(path.split("/").at(-1), team.accountId, url)
      .run();
    expect(await team.owner.page(path)).toContain("Attempt 1: Answered 500");
  });

  test("a URL that leads inward is refused at its field", async () => {
    const answer = await team.owner.submit("/dashboard/webhooks", {
      url: "https://10.0.0.1/hook",
      event_kinds: "media.failed",
    });
    expect(answer.status).toBe(422);
    expect(await answer.text()).toContain("not on the public internet");
  });
});

describe("media", () => {
  test("are searched by any part of the name, whose wildcards stand for themselves, and by status", async () => {
    const { accountId, apiKey, owner } = await createTeam(catchMails());
    for (const filename of ["Holiday_1.png", "holiday 100%.png", "work.png"])
      await uploaded(apiKey, { filename });
    const done = await uploaded(apiKey, { filename: "done.png" });
    await completed(accountId, done.id);
    const namesFor = async (query: string): Promise<string[]> =>
      [...(await owner.page(`/dashboard/media?${query}`)).matchAll(/class="row-name">([^<]+)</g)].map(
        ([, name = ""]) => name,
      );
    expect(await namesFor("search=HOLIDAY")).toEqual(["holiday 100%.png", "Holiday_1.png"]);
    expect(await namesFor("search=%25")).toEqual(["holiday 100%.png"]);
    expect(await namesFor("search=_")).toEqual(["Holiday_1.png"]);
    expect(await namesFor("status=completed")).toEqual(["done.png"]);
    expect(await namesFor(`search=${done.id}`)).toEqual(["done.png"]);
    expect(await namesFor("type=video")).toEqual([]);
    expect(await namesFor("page=2")).toEqual([]);
  });

  test("are filtered by date, category, type and key, and sorted either way", async () => {
    const { accountId, apiKey, keyId, owner } = await createTeam(catchMails());
    await uploaded(apiKey, { filename: "b.png", categories: ["heads"] });
    await uploaded(apiKey, { filename: "A.png", categories: ["writing", "screens"] });
    await uploaded(apiKey, { filename: "c.png", categories: ["heads"] });
    const csrf = await owner.csrf();
    await owner.visit("/dashboard/media", {
      body: await uploadForm({ filename: "by hand.png" }),
      headers: { "X-CSRF-Token": csrf, Accept: "application/json" },
    });
    await env.DB.prepare(
      "UPDATE media SET created_at = ?1, uploaded_at = ?1, file_size_bytes = 1 WHERE filename = 'c.png' AND account_id = ?2",
    )
      .bind(Date.UTC(2026, 1, 3, 12), accountId)
      .run();
    const namesFor = async (query: string): Promise<string[]> =>
      [...(await owner.page(`/dashboard/media?${query}`)).matchAll(/class="row-name">([^<]+)</g)].map(
        ([, name = ""]) => name,
      );
    expect(await namesFor("category=screens")).toEqual(["A.png"]);
    expect(await namesFor("from=2026-02-03&until=2026-02-03")).toEqual(["c.png"]);
    expect(await namesFor("until=2026-02-02")).toEqual([]);
    expect(await namesFor(`key=${keyId}&sort=name&order=asc`)).toEqual(["A.png", "b.png", "c.png"]);
    expect(await namesFor("key=key_00000000-0000-4000-8000-000000000000")).toEqual([]);
    expect(await namesFor("sort=name&order=desc")).toEqual(["c.png", "by hand.png", "b.png", "A.png"]);
    expect((await namesFor("sort=size&order=asc"))[0]).toBe("c.png");
    expect((await namesFor("sort=uploaded&order=asc"))[0]).toBe("c.png");
    // Invalid parameters are ignored.
    expect(await namesFor("category=faces&from=yesterday&sort=DROP&key=1'--")).toHaveLength(4);
  });

  test("are uploaded as through the API: same answer, same checks, same quota", async () => {
    const csrf = await team.owner.csrf();
    const headers = { "X-CSRF-Token": csrf, Accept: "application/json" };
    const accepted = await team.owner.visit("/dashboard/media", { body: await uploadForm(), headers });
    expect(accepted.status).toBe(201);
    const media = await bodyOf(accepted, mediaSchema);
    expect((await call(`/media/${media.id}`, { apiKey: team.apiKey })).status).toBe(200);

    const refused = await team.owner.visit("/dashboard/media", {
      body: await uploadForm({ file: new Uint8Array([1, 2, 3]), categories: [] }),
      headers,
    });
    expect(refused.status).toBe(422);
    const { error } = await refused.json<{ error: { details: Record<string, string[]> } }>();
    expect(Object.keys(error.details).sort()).toEqual(["categories", "file"]);

    await env.DB.prepare("UPDATE accounts SET images_per_period = 0 WHERE id = ?").bind(team.accountId).run();
    const over = await team.owner.visit("/dashboard/media", { body: await uploadForm(), headers });
    await env.DB.prepare("UPDATE accounts SET images_per_period = NULL WHERE id = ?")
      .bind(team.accountId)
      .run();
    expect(over.status).toBe(429);
  });

  test("show what was found as boxes and counts, and are gone with everything when deleted", async () => {
    const media = await uploaded(team.apiKey, { filename: "found.png" });
    await completed(team.accountId, media.id);
    const detections = [
      { id: "det_1", category: "heads", box: [0.1, 0.2, 0.3, 0.4], confidence: 0.91 },
      { id: "det_2", category: "heads", box: [0.5, 0.5, 0.1, 0.1], confidence: 0.5 },
      { id: "det_3", category: "qr_codes", box: [0, 0, 0.1, 0.1], confidence: 0.7 },
      { id: "det_4", category: "heads", box: [0.7, 0.7, 0.1, 0.1], confidence: 0.2, isOpen: true },
      { id: "det_5", category: null, box: [0.2, 0.7, 0.1, 0.1], confidence: null, isRequested: true },
    ];
    await env.DB.prepare(
      "INSERT INTO media_detections (media_id, account_id, detections, orientation) VALUES (?, ?, ?, 1)",
    )
      .bind(media.id, team.accountId, JSON.stringify(detections))
      .run();
    const page = await team.owner.page(`/dashboard/media/${media.id}`);
    expect(page).toMatch(
      /<g class="off" data-category="heads" data-thing="heads-1"><title>Heads 1, 91%<\/title>/,
    );
    expect(page).toContain(`<rect x="0.1" y="0.2" width="0.3" height="0.4"></rect>`);
    expect(page.replaceAll(/\s+/g, " ")).toMatch(/Heads <strong>2<\/strong>.*QR codes <strong>1<\/strong>/);
    const source = await team.owner.visit(`/dashboard/media/${media.id}/source`);
    expect((await source.arrayBuffer()).byteLength).toBe(media.file_size_bytes);
    const download = await team.owner.visit(`/dashboard/media/${media.id}/download`);
    expect(download.headers.get("Content-Disposition")).toContain(`filename="found.redacted.png"`);

    await team.owner.submit(`/dashboard/media/${media.id}/delete`);
    expect((await team.owner.visit(`/dashboard/media/${media.id}`)).headers.get("Location")).toBe(
      `/dashboard/deletions?id=${media.id}`,
    );
    const left = await env.DB.prepare("SELECT count(*) AS total FROM media_detections WHERE media_id = ?")
      .bind(media.id)
      .first<{ total: number }>();
    expect(left?.total).toBe(0);
  });
});

test("boxes are turned as a viewer turns the picture", () => {
  const stored = [0.1, 0.2, 0.3, 0.15] as const;
  for (const orientation of [1, 2, 3, 4, 5, 6, 7, 8] as const) {
    const back = storedBox(shownBox(stored, orientation), orientation);
    for (const [index, value] of back.entries()) expect(value).toBeCloseTo(stored[index] ?? Number.NaN, 10);
  }
  // Orientation 6 is shown turned clockwise: the left edge becomes the top edge.
  expect(shownBox([0, 0, 0.2, 1], 6).map((value) => Number(value.toFixed(6)))).toEqual([0, 0, 1, 0.2]);
});

test("the plot counts what ended on each day, deleted or not", async () => {
  const { accountId, apiKey, owner } = await createTeam(catchMails());
  const media = [await uploaded(apiKey), await uploaded(apiKey)];
  for (const { id } of media) await completed(accountId, id);
  await owner.submit(`/dashboard/media/${media[0]?.id}/delete`);
  const page = await owner.page("/dashboard");
  expect(page).toMatch(/: 2 completed, 0 failed<\/title>/);
  expect(page.replaceAll(/<[^>]+>/g, "")).toContain("100% of 2");
  // Half of the axis is a whole number of files.
  expect(page).toMatch(/<span>2<\/span><span>1<\/span><span>0<\/span>/);
});

test("the quota counts what files under way have reserved", async () => {
  const { accountId, apiKey, owner } = await createTeam(catchMails());
  await uploaded(apiKey);
  await env.DB.prepare("UPDATE accounts SET images_per_period = 50 WHERE id = ?").bind(accountId).run();
  await env.DB.prepare("UPDATE usage SET used_units = 21, reserved_units = 29 WHERE account_id = ?")
    .bind(accountId)
    .run();
  for (const path of ["/dashboard", "/dashboard/plan"]) {
    const text = (await owner.page(path)).replaceAll(/<[^>]+>/g, "");
    expect(text).toContain("50 of 50");
    expect(text).toContain("21 done, 29 reserved for files in progress, 0 left");
  }
});

test("a user of two teams sees the one that was chosen", async () => {
  const other = await createTeam(catchMails());
  await env.DB.prepare("UPDATE accounts SET name = 'The other team' WHERE id = ?")
    .bind(other.accountId)
    .run();
  await env.DB.prepare("INSERT INTO memberships VALUES (?, ?, 'member', ?)")
    .bind(other.accountId, team.memberId, Date.now() + 1000)
    .run();
  expect(await team.member.page("/dashboard/keys")).not.toContain("Keys of The other team");
  expect((await team.member.submit("/dashboard/teams/active", { accountId: other.accountId })).status).toBe(
    303,
  );
  expect(await team.member.page("/dashboard/keys")).toContain("Keys of The other team");
});
