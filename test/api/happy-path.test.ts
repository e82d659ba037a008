import { expect, test } from "vitest";
import { mediaCollectionSchema, mediaSchema } from "../../src/records/media/media.schemas.ts";
import { usageSchema } from "../../src/records/usage/usage.schemas.ts";
import { createAccount } from "../support/accounts.ts";
import { BASE, call, errorOf } from "../support/api.ts";
import { clientOf } from "../support/client.ts";
import { png } from "../support/images.ts";
import { completed, storedOf } from "../support/leftovers.ts";
import { uploadForm } from "../support/uploads.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

test("a media goes from upload over completion and download to deletion", async () => {
  const { apiKey, accountId } = await createAccount({ plan: "Scale" });
  const answers: Response[] = [];
  const client = clientOf(apiKey, (answer) => answers.push(answer.clone()));
  const source = await png({ width: 32, height: 24 });

  const media = mediaSchema.parse(
    await client.upload({
      file: new File([source], "street.png", { type: "application/pdf" }),
      categories: ["heads", "tattoos", "heads"],
      method: "pixelation",
    }),
  );
  expect(answers.at(-1)?.status).toBe(201);
  expect(answers.at(-1)?.headers.get("Content-Type")).toBe("application/json");
  expect(media).toEqual({
    id: expect.stringMatching(UUID) as unknown,
    status: "queued",
    filename: "street.png",
    media_type: "image",
    categories: ["heads", "tattoos"],
    redaction_method: "pixelation",
    file_size_bytes: source.length,
    duration_seconds: null,
    created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
    processed_at: null,
    failed_at: null,
  });

  expect(mediaSchema.parse(await client.get(media.id))).toEqual(media);

  const output = await png({ width: 32, height: 24, paddingBytes: 100 });
  await completed(accountId, media.id, output);
  const polled = mediaSchema.parse(await client.get(media.id));
  expect(polled).toMatchObject({
    status: "completed",
    processed_at: expect.any(String) as unknown,
    failed_at: null,
    download_url: `${BASE}/media/${media.id}/download`,
  });

  const list = mediaCollectionSchema.parse(await client.list());
  expect(list).toEqual({
    data: [polled],
    pagination: { page: 1, per_page: 20, total: 1, total_pages: 1 },
    links: { next: null, previous: null },
  });

  const download = await client.download(media.id);
  expect(download.contentType).toBe("image/png");
  expect(await new Response(download.body).bytes()).toEqual(output);

  const usage = usageSchema.parse(await client.usage());
  expect(usage).toMatchObject({ plan: "Scale", images: { limit: 100_000 }, video_minutes: { limit: 6_000 } });

  await client.delete(media.id);
  expect(answers.at(-1)?.status).toBe(204);
  expect(await answers.at(-1)?.text()).toBe("");
  expect(await storedOf(accountId)).toMatchObject({ objects: 0, media: 0 });
  for (const suffix of ["", "/download"]) {
    const gone = await call(`/media/${media.id}${suffix}`, { apiKey });
    expect(gone.status).toBe(404);
    expect((await errorOf(gone)).code).toBe("not_found");
  }
});

test("blur is the method unless another is asked for", async () => {
  const { apiKey } = await createAccount();
  const response = await call("/media/redact", { method: "POST", apiKey, body: await uploadForm() });
  expect(mediaSchema.parse(await response.json()).redaction_method).toBe("blur");
});
