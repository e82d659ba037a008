import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "../../scripts/lib/wrangler.ts";
import { SNIPPETS } from "../../src/web/docs/reference/snippets.ts";

const document = JSON.parse(await readFile(join(ROOT, "openapi.json"), "utf8")) as {
  paths: Record<string, Record<string, { operationId: string }>>;
};
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, { operationId }]) => ({ path, method, operationId })),
);

test("every operation is shown in three languages, and nothing else is", () => {
  expect(new Set(Object.keys(SNIPPETS))).toEqual(new Set(operations.map(({ operationId }) => operationId)));
});

const PYTHON_FILES = ["client.py", "account.py", "revisions.py", "uploads.py"].map((name) =>
  join(ROOT, "packages/python/src/veil_redact/_sync", name),
);

function calls(text = ""): string[] {
  return [...text.matchAll(/\bveil\.(\w+)\(/g)].map(([, name = ""]) => name);
}

test.for(operations)(
  "$operationId is called by its path, and by methods that the packages have",
  async (operation) => {
    const snippets = SNIPPETS[operation.operationId];
    const path = operation.path.replace("{mediaId}", "019a9c4e-6f1a-7c11-8f8e-0d2b5c3c9a10");
    // The URL of an upload comes from the answer to its creation.
    const isUpload = path === "/uploads/{uploadId}";
    expect(snippets?.curl).toContain(isUpload ? '"$UPLOAD_URL"' : `$VEIL_BASE_URL${path}`);
    const typescript = await readFile(join(ROOT, "packages/client/src/client.ts"), "utf8");
    const python = (await Promise.all(PYTHON_FILES.map(async (file) => await readFile(file, "utf8")))).join();
    const called = calls(snippets?.TypeScript);
    for (const name of called) expect(typescript).toMatch(new RegExp(`async \\*?${name}\\(`));
    expect(called.length > 0 || snippets?.TypeScript.includes("saveDownload(veil")).toBe(true);
    expect(calls(snippets?.Python).length).toBeGreaterThan(0);
    for (const name of calls(snippets?.Python)) expect(python).toContain(`def ${name}(`);
  },
);
