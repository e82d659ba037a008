import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createAccount } from "../support/accounts.ts";
import { call } from "../support/api.ts";
import {
  OPERATIONS,
  OUTPUT,
  createOwner,
  expectNothingShown,
  expectRefusal,
  revokedKey,
  type Owner,
} from "../support/api-walk.ts";
import { beginInSecond, move, placeOf } from "../support/moves.ts";

/** What the owner left in the main database when it moved is still there: that is what a wrong query would show. */
let moved: Owner;
let stayed: Owner;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  [moved, stayed] = [await createOwner(), await createOwner()];
  await move(moved.accountId);
  expect(await placeOf(moved.accountId)).toEqual({ home: "DB_2", step: null });
});

afterAll(() => {
  vi.useRealTimers();
});

describe.for(OPERATIONS)("$method $path", (operation) => {
  test("shows and touches nothing of an account in another database", async () => {
    const [inMain, inSecond] = [await createAccount(), await createAccount()];
    await beginInSecond(inSecond.accountId);
    await expectNothingShown(moved, operation, inMain);
    await expectNothingShown(moved, operation, inSecond);
    await expectNothingShown(stayed, operation, inSecond);
  });

  test("is 401 in the second database without a key or with a revoked one", async () => {
    await expectRefusal(moved, operation, undefined);
    await expectRefusal(moved, operation, await revokedKey(moved));
  });
});

test("both owners still have everything", async () => {
  for (const { apiKey, mediaIds } of [moved, stayed]) {
    const download = await call(`/media/${mediaIds.completed}/download`, { apiKey });
    expect(new Uint8Array(await download.arrayBuffer())).toEqual(OUTPUT);
  }
});
