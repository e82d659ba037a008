import { execFile } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import {
  API_TYPES_FILE,
  CLIENT_DIRECTORY,
  buildClient,
  writeApiTypes,
  DOCUMENT_FILE,
  documentText,
} from "../../scripts/lib/client.ts";
import { ROOT } from "../../scripts/lib/wrangler.ts";

const run = promisify(execFile);

const schemaObject = z.looseObject({
  required: z.array(z.string()).optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  additionalProperties: z.unknown().optional(),
  enum: z.array(z.string()).optional(),
});

const documentObject = z.object({
  openapi: z.string(),
  info: z.object({ version: z.string() }),
  servers: z.array(z.object({ url: z.string() })),
  security: z.unknown(),
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        parameters: z
          .array(z.looseObject({ name: z.string(), in: z.string(), required: z.boolean() }))
          .optional(),
        requestBody: z
          .object({ required: z.boolean(), content: z.record(z.string(), z.unknown()) })
          .optional(),
        responses: z.record(
          z.string(),
          z.looseObject({
            headers: z.record(z.string(), z.unknown()).optional(),
            content: z.record(z.string(), z.unknown()).optional(),
          }),
        ),
      }),
    ),
  ),
  webhooks: z.record(z.string(), z.object({ post: z.looseObject({ security: z.unknown() }) })),
  components: z.object({ schemas: z.record(z.string(), schemaObject) }),
});

const document = documentObject.parse(JSON.parse(await documentText()));
const { schemas } = document.components;

/** Every file below a folder with its text. */
async function contentsOf(directory: string): Promise<Record<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const contents = files
    .sort()
    .map(async (file) => [relative(directory, file), await readFile(file, "utf8")]);
  return Object.fromEntries(await Promise.all(contents)) as Record<string, string>;
}

describe("the committed files equal what the sources generate; `npm run openapi` regenerates them", () => {
  test("openapi.json", async () => {
    expect(await readFile(DOCUMENT_FILE, "utf8")).toBe(await documentText());
  });

  test("the compiled client", async () => {
    const directory = await mkdtemp(join(tmpdir(), "veil-client-"));
    try {
      await buildClient(directory);
      expect(await contentsOf(CLIENT_DIRECTORY)).toEqual(await contentsOf(directory));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });

  test("the client's types of the API", async () => {
    const directory = await mkdtemp(join(tmpdir(), "veil-openapi-"));
    try {
      const file = join(directory, "openapi.ts");
      await writeApiTypes(file);
      expect(await readFile(API_TYPES_FILE, "utf8")).toBe(await readFile(file, "utf8"));
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  });
});

test("a linter finds nothing wrong with the document", async () => {
  const linter = join(ROOT, "node_modules/@stoplight/spectral-cli/dist/index.js");
  const { stdout } = await run(process.execPath, [linter, "lint", DOCUMENT_FILE, "--fail-severity", "warn"], {
    cwd: ROOT,
  });
  expect(stdout).toContain("No results");
});

const exampledContent = z.record(
  z.string(),
  z.looseObject({ examples: z.record(z.string(), z.unknown()).optional() }),
);

const exampledOperation = z.object({
  requestBody: z.object({ content: exampledContent }).optional(),
  responses: z.record(z.string(), z.object({ content: exampledContent.optional() })),
});

test("every JSON answer of every operation, and every JSON body, has an example", () => {
  const items = [...Object.entries(document.paths), ...Object.entries(document.webhooks)];
  const bare = items.flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, operation]) => {
      const { requestBody, responses } = exampledOperation.parse(operation);
      const contents = [["body", requestBody] as const, ...Object.entries(responses)];
      return contents.flatMap(([status, one]) => {
        const json = one?.content?.["application/json"];
        const isBare = json !== undefined && Object.keys(json.examples ?? {}).length === 0;
        return isBare ? [`${method} ${path} ${status}`] : [];
      });
    }),
  );
  expect(bare).toEqual([]);
});

test("an example of a bad request names a field", () => {
  const text = JSON.stringify(document.paths);
  expect(text).toContain("validation_failed");
  expect(text).not.toContain(
    '"code":"validation_failed","message":"The request is not valid: see  in details."',
  );
});

describe("the document says what the contract says", () => {
  test("of versions, addresses and keys", () => {
    expect(document.openapi).toBe("3.1.0");
    expect(document.info.version).toBe("1.0.0");
    expect(document.servers).toEqual([{ url: "https://veil.example.com/api/v1" }]);
    expect(document.security).toEqual([{ apiKey: [] }]);
  });

  test("of operations and their statuses", () => {
    const operations = Object.entries(document.paths).flatMap(([path, item]) =>
      Object.entries(item).map(
        ([method, { responses }]) => `${method} ${path}: ${Object.keys(responses).join()}`,
      ),
    );
    expect(operations.sort()).toEqual([
      "delete /media/{mediaId}: 204,401,404,422,429,500",
      "delete /uploads/{uploadId}: 204,404,410,412,423,500",
      "get /deletions: 200,401,422,429,500",
      "get /media/{mediaId}/detections: 200,401,404,422,429,500",
      "get /media/{mediaId}/download: 200,206,304,401,404,412,416,422,429,500",
      "get /media/{mediaId}/report: 200,401,404,422,429,500",
      "get /media/{mediaId}/status-details: 200,401,404,422,429,500",
      "get /media/{mediaId}/verification: 200,401,404,422,429,500",
      "get /media/{mediaId}: 200,304,401,404,422,429,500",
      "get /media: 200,304,401,422,429,500",
      "get /usage: 200,401,422,429,500",
      "head /uploads/{uploadId}: 200,404,410,412,500",
      "patch /uploads/{uploadId}: 204,400,404,408,409,410,412,413,415,422,423,460,500",
      "post /media/redact: 201,401,404,409,422,429,500,503",
      "post /media/{mediaId}/retry: 201,401,404,409,422,429,500,503",
      "post /media/{mediaId}/revisions: 201,401,404,409,422,429,500,503",
      "post /uploads: 201,400,401,408,409,412,413,422,423,429,460,500,503",
    ]);
  });

  test("of headers", () => {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const { responses } of Object.values(item)) {
        for (const [status, { headers, content }] of Object.entries(responses)) {
          const names = Object.keys(headers ?? {});
          expect(names).toContain("X-Request-Id");
          if (status === "401") expect(names).toContain("WWW-Authenticate");
          // Requests to an upload's URL do not count against a rate limit.
          else if (path !== "/uploads/{uploadId}" || Number(status) >= 400)
            expect(names).toEqual(
              expect.arrayContaining(["X-RateLimit-Limit", "X-RateLimit-Reset"]) as unknown,
            );
          if (status === "429") expect(names).toContain("Retry-After");
          if (Number(status) >= 400) expect(Object.keys(content ?? {})).toEqual(["application/json"]);
        }
      }
    }
    const upload = document.paths["/media/redact"]?.["post"];
    expect(Object.keys(upload?.responses["201"]?.headers ?? {})).toContain("Idempotency-Replayed");
    expect(upload?.parameters).toMatchObject([{ name: "Idempotency-Key", in: "header", required: false }]);
  });

  test("of the upload's form", () => {
    const body = document.paths["/media/redact"]?.["post"]?.requestBody;
    expect(body?.required).toBe(true);
    expect(Object.keys(body?.content ?? {})).toEqual(["multipart/form-data", "application/json"]);
    // Generated clients send nothing for a form that is a union of schemas.
    expect(body?.content?.["multipart/form-data"]).toMatchObject({
      schema: { $ref: "#/components/schemas/Upload" },
    });
    expect(body?.content?.["application/json"]).toMatchObject({
      schema: {
        anyOf: [{ $ref: "#/components/schemas/UploadByUrl" }, { $ref: "#/components/schemas/UploadById" }],
      },
    });
    expect(schemas["UploadById"]?.required).toEqual(["upload_id", "categories"]);
    expect(schemas["UploadByUrl"]?.required).toEqual(["source_url", "categories"]);
    expect(schemas["Upload"]?.required).toEqual(["file", "categories[]"]);
    expect(schemas["Upload"]?.properties).toMatchObject({
      file: { type: "string", format: "binary" },
      "categories[]": { type: "array", minItems: 1 },
      redaction_method: {
        enum: ["blur", "pixelation"],
        description: expect.stringContaining("`blur` unless given") as unknown,
      },
    });
  });

  test("without defaults in shared schemas, for which generators of clients require the field in requests", () => {
    const withDefault = Object.entries(schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties).flatMap(([field, schema]) =>
        JSON.stringify(schema).includes('"default":') ? [`${name}.${field}`] : [],
      ),
    );
    expect(withDefault).toEqual([]);
  });

  test("of the list's query", () => {
    const parameters = document.paths["/media"]?.["get"]?.parameters;
    const ofQuery = parameters?.filter((parameter) => parameter.in === "query");
    expect(ofQuery?.map(({ name, in: where, required }) => [name, where, required])).toEqual([
      ["status", "query", false],
      ["media_type", "query", false],
      ["page", "query", false],
      ["per_page", "query", false],
      // Extensions.
      ["external_id", "query", false],
      ["folder", "query", false],
      ["current", "query", false],
      ["cursor", "query", false],
      ["include", "query", false],
    ]);
    expect(ofQuery?.[2]).toMatchObject({ schema: { type: "integer", minimum: 1, default: 1 } });
    expect(ofQuery?.[3]).toMatchObject({
      schema: { type: "integer", minimum: 1, maximum: 100, default: 20 },
    });
  });

  test("of the download's content types", () => {
    const content = document.paths["/media/{mediaId}/download"]?.["get"]?.responses["200"]?.content;
    expect(Object.keys(content ?? {})).toEqual([
      "image/jpeg",
      "image/png",
      "image/webp",
      "video/mp4",
      "video/quicktime",
      "video/webm",
    ]);
  });

  test("of the media, with nothing besides, and the download address alone optional", () => {
    const media = schemas["Media"];
    const fields = [
      "id",
      "status",
      "filename",
      "media_type",
      "categories",
      "redaction_method",
      "file_size_bytes",
      "duration_seconds",
      "created_at",
      "processed_at",
      "failed_at",
    ];
    expect(media?.["type"]).toBe("object");
    expect(media?.required).toEqual(fields);
    expect(Object.keys(media?.properties ?? {})).toEqual([...fields, "download_url"]);
    for (const name of ["Media", "MediaCollection", "Usage", "Error"]) {
      expect([name, schemas[name]?.additionalProperties]).toEqual([name, false]);
    }
  });

  test.for([
    ["/media", "MediaCollection"],
    ["/media/{mediaId}", "MediaWithIncluded"],
  ] as const)("of %s, whose answer is one schema with the fields of `include` optional", ([path, name]) => {
    const answer = document.paths[path]?.["get"]?.responses["200"];
    expect(answer?.content?.["application/json"]).toMatchObject({
      schema: { $ref: `#/components/schemas/${name}` },
    });
    const { required, properties } = schemas["MediaWithIncluded"] ?? {};
    expect(required).toEqual(schemas["Media"]?.required);
    expect(properties).toMatchObject(schemas["Media"]?.properties ?? {});
    expect(properties).toHaveProperty("versions");
  });

  test("of webhooks", () => {
    const names = {
      "media.processed": "MediaProcessedEvent",
      "media.failed": "MediaFailedEvent",
      "media.source_deleted": "MediaSourceDeletedEvent",
    };
    expect(Object.keys(document.webhooks)).toEqual(Object.keys(names));
    for (const [kind, name] of Object.entries(names)) {
      expect(document.webhooks[kind]?.post).toMatchObject({
        security: [],
        parameters: [
          { name: "X-Service-Signature", in: "header", required: true },
          { name: "X-Service-Event", in: "header", required: true },
          { name: "X-Service-Delivery", in: "header", required: true },
        ],
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } },
        },
      });
      expect(schemas[name]?.additionalProperties).toBe(false);
      expect(new Set(schemas[name]?.required)).toEqual(
        new Set(["id", "event", "timestamp", "media_id", "status", "processed_at", "failed_at", "media"]),
      );
      expect(schemas[name]?.properties).toMatchObject({ event: { enum: [kind] } });
    }
    expect(schemas["MediaProcessedEvent"]?.properties).toMatchObject({
      status: { enum: ["completed"] },
      processed_at: { type: "string", format: "date-time" },
      failed_at: { type: "null" },
      media: { $ref: "#/components/schemas/Media" },
    });
    expect(schemas["MediaFailedEvent"]?.properties).toMatchObject({
      status: { enum: ["failed"] },
      processed_at: { type: "null" },
      failed_at: { type: "string", format: "date-time" },
    });
    expect(schemas["MediaSourceDeletedEvent"]?.properties).toMatchObject({
      status: { $ref: "#/components/schemas/MediaStatus" },
      media: { anyOf: [{ $ref: "#/components/schemas/Media" }, { type: "null" }] },
    });
  });

  test("of enumerations", () => {
    expect(schemas["MediaStatus"]?.enum).toEqual([
      "pending",
      "queued",
      "processing",
      "completed",
      "failed",
      "quota_exceeded",
    ]);
    expect(schemas["MediaType"]?.enum).toEqual(["image", "video"]);
    expect(schemas["RedactionMethod"]?.enum).toEqual(["blur", "pixelation"]);
    expect(schemas["RedactionCategory"]?.enum).toEqual([
      "heads",
      "license_plates",
      "screens",
      "writing",
      "street_signs",
      "id_cards",
      "passports",
      "credit_cards",
      "name_badges",
      "qr_codes",
      "barcodes",
      "documents",
      "tattoos",
    ]);
  });
});
