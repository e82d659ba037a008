import type { KeyListing } from "../../accounts/accounts.repository.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../dashboard.http.ts";
import { ActionButton, Copyable, CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { Moment } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";

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
            <button class="primary">Make the key</button>
          </form>
        </section>
      )}
      <section class="panel" aria-labelledby="keys">
        <h2 id="keys">Keys of {viewer.team?.name}</h2>
        {keys.length === 0 ? (
          <div class="empty">
            <p>No keys yet.</p>
            <p class="soft">
              {isOwner ? "A program needs one to upload and download." : "An owner of the team can make one."}
            </p>
          </div>
        ) : (
          <table class="list">
            <thead>
              <tr>
                <th scope="col">Name</th>
                <th scope="col">Key</th>
                <th scope="col">Made</th>
                <th scope="col">Last used</th>
                <th scope="col">
                  <span class="unseen">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {keys.map((key) => (
                <tr class={key.revokedAt === null ? undefined : "over"}>
                  <th scope="row">{key.name}</th>
                  <td data-label="Key">
                    <code>{`${key.prefix}…`}</code>
                  </td>
                  <td data-label="Made">
                    <Moment ms={key.createdAt} />
                  </td>
                  <td data-label="Last used">
                    {key.lastUsedAt === null ? "never" : <Moment ms={key.lastUsedAt} />}
                  </td>
                  <td class="actions">
                    {key.revokedAt !== null && <span class="soft">revoked</span>}
                    {key.revokedAt === null && isOwner && (
                      <ActionButton
                        viewer={viewer}
                        action={`${PATH}/${key.id}/revoke`}
                        tone="danger"
                        confirm={`Revoke the key ${key.name} for good? Programs that use it stop working.`}
                      >
                        Revoke<span class="unseen">{` ${key.name}`}</span>
                      </ActionButton>
                    )}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        )}
      </section>
    </Page>
  );
}

/** Shows a new key, this once. */
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
          Copy the key now: it is not kept and cannot be shown again.
        </p>
        <Copyable label={`Key “${name}”`} value={apiKey} />
        <h2>Try it</h2>
        <pre>
          <code>{`curl -H "Authorization: Bearer <API_KEY>" \\
  -F file=@photo.jpg -F "categories[]=heads" \\
  ${baseUrl}/media/redact`}</code>
        </pre>
        <p>
          <a class="button" href={PATH}>
            I have copied it
          </a>
        </p>
      </section>
    </Page>
  );
}
