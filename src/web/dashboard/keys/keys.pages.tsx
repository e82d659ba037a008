import type { KeyListing } from "../../../records/accounts/accounts.repository.ts";
import { lastDayOf } from "../../../records/accounts/included-scopes.ts";
import { nowMs } from "../../../ground/platform/clock.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { ActionButton, Copyable, CopyableCode, CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { Moment, shownDate } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";

const PATH = `${DASHBOARD_PATH}/keys`;

export function KeysPage({
  viewer,
  keys,
  faults,
  notice,
}: {
  viewer: Viewer;
  keys: readonly KeyListing[];
  faults?: FormFaults | undefined;
  notice?: string | undefined;
}) {
  const isOwner = viewer.team?.role === "owner";
  return (
    <Page viewer={viewer} title="API keys" section="API keys" notice={notice}>
      {isOwner && (
        <section class="panel" aria-labelledby="new">
          <h2 id="new">New key</h2>
          <form class="row-form" method="post" action={PATH}>
            <CsrfField viewer={viewer} />
            <FormFault faults={faults} />
            <Field
              name="name"
              label="Name"
              hint="Where it will be used, such as “Production”."
              maxlength={100}
              faults={faults}
            />
            <div class="field">
              <label for="scopes">Permission</label>
              <select id="scopes" name="scopes">
                {SCOPE_CHOICES.map(([value, label]) => (
                  <option value={value}>{label}</option>
                ))}
              </select>
            </div>
            <div class="field">
              <label for="ends_on">Last day</label>
              <input
                id="ends_on"
                name="ends_on"
                type="date"
                aria-describedby={
                  faults?.["ends_on"] === undefined ? "ends_on-hint" : "ends_on-hint ends_on-fault"
                }
              />
              <small id="ends_on-hint">Leave it empty for a key that does not expire. Days are in UTC.</small>
              {faults?.["ends_on"] !== undefined && (
                <small class="fault" id="ends_on-fault">
                  {faults["ends_on"]}
                </small>
              )}
            </div>
            <button class="primary">Create key</button>
          </form>
        </section>
      )}
      <section class="panel" aria-labelledby="keys">
        <h2 id="keys">Keys of {viewer.team?.name}</h2>
        {keys.length === 0 ? (
          <div class="empty">
            <p>No keys yet.</p>
            <p class="soft">
              {isOwner
                ? "Programs need a key to upload and download."
                : "An owner of the team can create one."}
            </p>
          </div>
        ) : (
          <Table
            columns={["Name", "Key", "May", "Created", "Last used", "Ends"]}
            rows={keys.map((key) => ({
              tone: key.revokedAt === null && !isOver(key) ? undefined : "over",
              head: key.name,
              cells: [
                <code>{`${key.prefix}…`}</code>,
                key.scopes === null ? "everything" : key.scopes.join(", "),
                <Moment ms={key.createdAt} />,
                key.lastUsedAt === null ? "never" : <Moment ms={key.lastUsedAt} />,
                key.expiresAt === null ? "never" : `through ${shownDate(lastDayOf(key.expiresAt))} (UTC)`,
              ],
              actions: <KeyActions viewer={viewer} listing={key} />,
            }))}
          />
        )}
      </section>
    </Page>
  );
}

/** The scopes of a new key, broadest first. */
const SCOPE_CHOICES = [
  ["", "Do everything"],
  ["write", "Upload, correct and download"],
  ["read", "See media, without the files"],
  ["read,delete", "See and delete media"],
  ["delete", "Delete media"],
] as const;

function isOver({ expiresAt }: KeyListing): boolean {
  return expiresAt !== null && expiresAt <= nowMs();
}

function KeyActions({ viewer, listing }: { viewer: Viewer; listing: KeyListing }) {
  const { id, name, revokedAt } = listing;
  if (revokedAt !== null) return <span class="soft">revoked</span>;
  if (isOver(listing)) return <span class="soft">ended</span>;
  if (viewer.team?.role !== "owner") return null;
  return (
    <ActionButton
      viewer={viewer}
      action={`${PATH}/${id}/revoke`}
      tone="danger"
      confirm={`Revoke the key ${name} permanently? Programs that use it will stop working.`}
    >
      Revoke<span class="unseen">{` ${name}`}</span>
    </ActionButton>
  );
}

/** Shows a new key. It is shown only here. */
export function NewKeyPage({
  viewer,
  name,
  apiKey,
  baseUrl,
}: {
  viewer: Viewer;
  name: string;
  apiKey: string;
  baseUrl: string;
}) {
  return (
    <Page viewer={viewer} title="New key" section="API keys">
      <section class="panel">
        <p class="notice" role="status">
          Copy the key now. It is not stored and cannot be shown again.
        </p>
        <Copyable label={`Key “${name}”`} value={apiKey} />
        <h2>Try it</h2>
        <CopyableCode
          value={`curl -H "Authorization: Bearer ${apiKey}" \\
-F file=@photo.jpg -F "categories[]=heads" \\
${baseUrl}/media/redact`}
        />
        <p>
          <a class="button" href={PATH}>
            I have copied it
          </a>
        </p>
      </section>
    </Page>
  );
}
