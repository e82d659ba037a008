import { expect, test } from "vitest";
import { mediaSchema } from "../../src/media/media.schemas.ts";
import { bodyOf } from "../support/api.ts";
import { createAccount } from "../support/accounts.ts";
import { upload } from "../support/uploads.ts";

test("an upload is answered with the queued media", async () => {
  const { apiKey } = await createAccount();
  const response = await upload(apiKey, { categories: ["heads", "tattoos", "heads"], method: "pixelation" });
  expect(response.status).toBe(201);
  const media = await bodyOf(response, mediaSchema);
  expect(media).toMatchObject({
    status: "queued",
    filename: "photo.png",
    media_type: "image",
    categories: ["heads", "tattoos"],
    redaction_method: "pixelation",
    duration_seconds: null,
    processed_at: null,
    failed_at: null,
  });
});
