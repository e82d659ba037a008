import { expect, test } from "vitest";
import { createAccount } from "../support/accounts.ts";
import { call, errorOf } from "../support/api.ts";
import { expectNothingLeft } from "../support/leftovers.ts";
import { uploadForm, uploaded } from "../support/uploads.ts";

const LIST =
  "expected one of status, media_type, page, per_page, external_id, folder, current, cursor, include.";

test.for([
  ["min_confidence=0.1", { min_confidence: `\`min_confidence\` is an unknown query parameter; ${LIST}` }],
  [
    "perPage=50&stat=queued",
    {
      perPage: `\`perPage\` is an unknown query parameter; the nearest known one is \`per_page\`; ${LIST}`,
      stat: `\`stat\` is an unknown query parameter; the nearest known one is \`status\`; ${LIST}`,
    },
  ],
  [
    "status[]=queued&page=0&constructor=1",
    {
      status: `\`status[]\` is an unknown query parameter; the nearest known one is \`status\`; ${LIST}`,
      page: '`page` is "0"; expected a positive whole number.',
      constructor: `\`constructor\` is an unknown query parameter; ${LIST}`,
    },
  ],
] as const)("a list with %s is refused in words that name what is unknown", async ([query, expected]) => {
  const { apiKey } = await createAccount();
  const response = await call(`/media?${query}`, { apiKey });
  expect(response.status).toBe(422);
  const { code, details } = await errorOf(response);
  expect(code).toBe("validation_failed");
  const sentences = Object.entries(expected).map(([name, sentence]) => [name, [sentence]]);
  expect(details).toEqual(Object.fromEntries(sentences));
});

test("every other route takes no query parameter, and does nothing when it is sent one", async () => {
  const account = await createAccount();
  const { apiKey } = account;
  const { id } = await uploaded(apiKey);
  const unknown = {
    confidence: ["`confidence` is an unknown query parameter; this endpoint takes no query parameters."],
  };
  for (const [method, path] of [
    ["DELETE", `/media/${id}`],
    ["GET", `/media/${id}/download`],
    ["GET", `/media/${id}/status-details`],
    ["GET", "/usage"],
  ] as const) {
    const response = await call(`${path}?confidence=1`, { method, apiKey });
    expect([method, path, response.status]).toEqual([method, path, 422]);
    expect((await errorOf(response)).details).toEqual(unknown);
  }
  expect((await call(`/media/${id}`, { apiKey })).status).toBe(200);
  const poll = await errorOf(await call(`/media/${id}?confidence=1`, { apiKey }));
  expect(poll.details).toEqual({
    confidence: ["`confidence` is an unknown query parameter; expected one of include, wait."],
  });
});

test("an upload with its options in the address is refused and leaves nothing", async () => {
  const { apiKey, accountId } = await createAccount();
  const response = await call("/media/redact?redaction_method=pixelation", {
    method: "POST",
    apiKey,
    body: await uploadForm(),
  });
  expect(response.status).toBe(422);
  expect((await errorOf(response)).details).toEqual({
    redaction_method: [
      "`redaction_method` is an unknown query parameter; this endpoint takes no query parameters.",
    ],
  });
  await expectNothingLeft(accountId);
});
