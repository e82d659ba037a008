import { Hono } from "hono";
import { z } from "zod";
import { insertKey, listKeys, revokeKey } from "../../../records/accounts/accounts.repository.ts";
import { newApiKey } from "../../../records/accounts/api-keys.ts";
import { scopesOf } from "../../../records/accounts/included-scopes.ts";
import { DAY_MS, nowMs } from "../../../ground/platform/clock.ts";
import { KEY_SCOPES } from "../../../ground/vocabulary/key-scopes.ts";
import { openDatabase } from "../../../ground/platform/database.ts";
import { notFound } from "../../../ground/platform/errors.ts";
import { API_BASE_PATH, originOf } from "../../../ground/platform/http.ts";
import { newId } from "../../../ground/platform/ids.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  formOf,
  ownersOnly,
  parameterOf,
  teamOf,
  textField,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
  type FormFaults,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import { KeysPage, NewKeyPage } from "./keys.pages.tsx";

/** How many keys of a team may be valid at once. */
export const MAX_KEYS = 50;
const keyForm = z.object({
  name: textField("The name", 100),
  scopes: z
    .string()
    .default("")
    .transform((text) => (text === "" ? [] : text.split(",")))
    .pipe(z.array(z.enum(KEY_SCOPES, { error: "The scope of the key is unknown." })))
    .transform(scopesOf),
  ends_on: z
    .union([z.literal(""), z.iso.date("The expiration date is not a date.")])
    .default("")
    // The key is valid until the end of the last day.
    .transform((day) => (day === "" ? null : Date.parse(day) + DAY_MS))
    .refine(
      (endsAt) => endsAt === null || endsAt > nowMs(),
      "The expiration date has passed; choose a later day.",
    ),
});

export const keyRoutes = new Hono<DashboardEnv>();

keyRoutes.get("/", async (c) => await keysPage(c, undefined));

keyRoutes.post("/", ownersOnly, async (c) => {
  const form = await formOf(c, keyForm);
  if (form.faults !== undefined) return await keysPage(c, form.faults);
  const { name, scopes, ends_on: expiresAt } = form.data;
  const { secret, prefix, sha256 } = await newApiKey();
  const key = { id: newId("apiKey"), name, prefix, sha256, scopes, expiresAt };
  const database = openDatabase(c.get("config").MAIN_DB, "primary");
  const isKept = await insertKey(database, key, { deed: deedBy(c), limit: MAX_KEYS });
  if (!isKept) return await keysPage(c, { form: `The team has ${MAX_KEYS} keys; revoke one first.` });
  const baseUrl = `${originOf(c)}${API_BASE_PATH}`;
  return c.html(<NewKeyPage viewer={viewerOf(c)} name={name} apiKey={secret} baseUrl={baseUrl} />);
});

keyRoutes.post("/:keyId/revoke", ownersOnly, async (c) => {
  const database = openDatabase(c.get("config").MAIN_DB, "primary");
  const isRevoked = await revokeKey(database, parameterOf(c, "keyId"), deedBy(c));
  if (!isRevoked) throw notFound("There is no active key with this ID.");
  return c.redirect(withNotice(`${DASHBOARD_PATH}/keys`, "key_revoked"), 303);
});

async function keysPage(c: DashboardContext, faults: FormFaults | undefined): Promise<Response> {
  const keys = await listKeys(openDatabase(c.get("config").MAIN_DB, "primary"), teamOf(c).accountId);
  const notice = noticeOf(c.req.query("notice"));
  return c.html(
    <KeysPage viewer={viewerOf(c)} keys={keys} faults={faults} notice={notice} />,
    faults === undefined ? 200 : 422,
  );
}
