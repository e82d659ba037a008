import { EVENT_KINDS } from "../../../ground/vocabulary/event-kinds.ts";
import type { WebhookDelivery } from "../../../work/webhooks/delivery-history.service.ts";
import type { WebhookEndpoint } from "../../../work/webhooks/webhook-endpoints.service.ts";
import { DASHBOARD_PATH, type FormFaults, type Viewer } from "../request/dashboard.http.ts";
import { DeliveryList } from "./delivery-list.tsx";
import { ActionButton, Copyable, CsrfField, Field, FormFault } from "../parts/forms.tsx";
import { Moment } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";

const PATH = `${DASHBOARD_PATH}/webhooks`;

const DISABLED_REASONS = {
  gone: "It answered 410, which means that it is permanently gone.",
  failing: "Every attempt failed for five days.",
  by_owner: "An owner turned it off.",
} as const;

/** The endpoints of a team, and recent deliveries. */
export function WebhooksPage({
  viewer,
  endpoints,
  deliveries,
  faults,
  entered,
  notice,
}: {
  viewer: Viewer;
  endpoints: readonly WebhookEndpoint[];
  deliveries: readonly WebhookDelivery[];
  faults?: FormFaults | undefined;
  entered?: EnteredEndpoint | undefined;
  notice?: string | undefined;
}) {
  const isOwner = viewer.team?.role === "owner";
  return (
    <Page viewer={viewer} title="Webhooks" section="Webhooks" notice={notice}>
      <section class="panel" aria-labelledby="endpoints">
        <h2 id="endpoints">Endpoints</h2>
        {endpoints.length === 0 ? (
          <div class="empty">
            <p>No endpoints yet.</p>
            <p class="soft">
              {isOwner
                ? "Add the address of your server to be notified when media completes or fails."
                : "An owner of the team can add one."}
            </p>
          </div>
        ) : (
          <ul class="rows endpoints">
            {endpoints.map((endpoint) => (
              <li>
                <a href={`${PATH}/${endpoint.id}`}>
                  <span class="row-name">{endpoint.url}</span>
                </a>
                <span class="row-what">{endpoint.eventKinds.join(", ")}</span>
                <EndpointState endpoint={endpoint} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {isOwner && (
        <section class="panel" aria-labelledby="new">
          <h2 id="new">New endpoint</h2>
          <EndpointForm
            viewer={viewer}
            action={PATH}
            button="Add endpoint"
            faults={faults}
            entered={entered}
          />
        </section>
      )}
      {endpoints.length > 0 && (
        <section class="panel" aria-labelledby="deliveries">
          <h2 id="deliveries">Latest deliveries</h2>
          <DeliveryList deliveries={deliveries} withUrl />
        </section>
      )}
    </Page>
  );
}

/** The values of an endpoint's form. */
interface EnteredEndpoint {
  readonly url: string;
  readonly eventKinds: readonly string[];
}

function EndpointForm({
  viewer,
  action,
  button,
  faults,
  entered = { url: "", eventKinds: EVENT_KINDS },
}: {
  viewer: Viewer;
  action: string;
  button: string;
  faults: FormFaults | undefined;
  entered?: EnteredEndpoint | undefined;
}) {
  return (
    <form method="post" action={action}>
      <CsrfField viewer={viewer} />
      <FormFault faults={faults} />
      <Field
        name="url"
        label="URL"
        type="url"
        value={entered.url}
        autocomplete="off"
        hint="An https address on the public internet. It receives signed POST requests."
        maxlength={2048}
        faults={faults}
      />
      <fieldset>
        <legend>Events</legend>
        <div class="choices">
          {EVENT_KINDS.map((kind) => (
            <label>
              <input
                type="checkbox"
                name="event_kinds"
                value={kind}
                checked={entered.eventKinds.includes(kind)}
              />
              {kind}
            </label>
          ))}
        </div>
        {faults?.["event_kinds"] !== undefined && <p class="fault">{faults["event_kinds"]}</p>}
      </fieldset>
      <div>
        <button class="primary">{button}</button>
      </div>
    </form>
  );
}

function EndpointState({ endpoint }: { endpoint: WebhookEndpoint }) {
  if (endpoint.disabledAt !== null) return <span class="status">Off</span>;
  if (endpoint.failingSince !== null) return <span class="status failed">Failing</span>;
  return <span class="status completed">On</span>;
}

/** One endpoint: its state, actions and deliveries. */
export function EndpointPage({
  viewer,
  endpoint,
  deliveries,
  next,
  faults,
  entered,
  notice,
}: {
  viewer: Viewer;
  endpoint: WebhookEndpoint;
  deliveries: readonly WebhookDelivery[];
  /** The address of the page with older deliveries. */
  next: string | undefined;
  faults?: FormFaults | undefined;
  entered?: EnteredEndpoint | undefined;
  notice?: string | undefined;
}) {
  const path = `${PATH}/${endpoint.id}`;
  const isOwner = viewer.team?.role === "owner";
  return (
    <Page viewer={viewer} title="Endpoint" section="Webhooks" notice={notice}>
      <section class="panel" aria-label="State">
        <div class="panel-title">
          <h2>
            <code>{endpoint.url}</code>
          </h2>
          <EndpointState endpoint={endpoint} />
        </div>
        {endpoint.disabledReason !== null && endpoint.disabledAt !== null && (
          <p>
            {DISABLED_REASONS[endpoint.disabledReason]} Off since <Moment ms={endpoint.disabledAt} />. Events
            that happen while it is off are not sent to it.
          </p>
        )}
        {endpoint.disabledAt === null && endpoint.failingSince !== null && (
          <p>
            Every attempt since <Moment ms={endpoint.failingSince} /> has failed. After five days of failures
            it is turned off.
          </p>
        )}
        {endpoint.previousSecretsUntil.map((until) => (
          <p>
            A previous secret also signs until <Moment ms={until} />.
          </p>
        ))}
        {isOwner && endpoint.nextRotationAt !== null && (
          <p>
            Four secrets sign, which is the limit. You can rotate again at{" "}
            <Moment ms={endpoint.nextRotationAt} />, when the oldest one stops.
          </p>
        )}
        {isOwner && <EndpointActions viewer={viewer} endpoint={endpoint} path={path} />}
      </section>
      <section class="panel" aria-labelledby="deliveries">
        <h2 id="deliveries">Deliveries</h2>
        <DeliveryList deliveries={deliveries} />
        {next !== undefined && (
          <nav class="pages" aria-label="Pages">
            <a class="button" rel="next" href={next}>
              Older
            </a>
          </nav>
        )}
      </section>
      {isOwner && (
        <section class="panel" aria-labelledby="change">
          <h2 id="change">Change endpoint</h2>
          <EndpointForm
            viewer={viewer}
            action={path}
            button="Save"
            faults={faults}
            entered={entered ?? { url: endpoint.url, eventKinds: endpoint.eventKinds }}
          />
        </section>
      )}
    </Page>
  );
}

function EndpointActions({
  viewer,
  endpoint,
  path,
}: {
  viewer: Viewer;
  endpoint: WebhookEndpoint;
  path: string;
}) {
  const isOff = endpoint.disabledAt !== null;
  return (
    <div class="actions">
      {!isOff && (
        <form class="inline joined" method="post" action={`${path}/test`}>
          <CsrfField viewer={viewer} />
          <label class="unseen" for="kind">
            Test event
          </label>
          <select id="kind" name="kind">
            {EVENT_KINDS.map((kind) => (
              <option value={kind}>{kind}</option>
            ))}
          </select>
          <button class="plain">Send a test</button>
        </form>
      )}
      {endpoint.nextRotationAt === null && (
        <ActionButton
          viewer={viewer}
          action={`${path}/rotate`}
          confirm="Create a new secret? The current one also signs for 24 more hours."
        >
          Rotate secret
        </ActionButton>
      )}
      <ActionButton viewer={viewer} action={`${path}/${isOff ? "enable" : "disable"}`}>
        {isOff ? "Turn on" : "Turn off"}
      </ActionButton>
      <ActionButton
        viewer={viewer}
        action={`${path}/delete`}
        tone="danger"
        confirm="Permanently delete this endpoint and its delivery log?"
      >
        Delete
      </ActionButton>
    </div>
  );
}

/** Shows the signing secret of an endpoint. It is shown only here. */
export function SecretPage({
  viewer,
  endpoint,
  secret,
  isRotated,
}: {
  viewer: Viewer;
  endpoint: WebhookEndpoint;
  secret: string;
  isRotated: boolean;
}) {
  return (
    <Page viewer={viewer} title={isRotated ? "New secret" : "New endpoint"} section="Webhooks">
      <section class="panel">
        <p class="notice" role="status">
          Copy the secret now. It is stored encrypted and cannot be shown again.
        </p>
        <Copyable label="Signing secret" value={secret} />
        <p class="soft">
          Every request carries <code>X-Service-Signature: sha256=…</code>, the HMAC-SHA256 of its raw body
          under this whole text.
          {isRotated &&
            " The secret that it replaces signs for 24 more hours: the header then holds several signatures, the newest first."}
        </p>
        <p>
          <a class="button" href={`${PATH}/${endpoint.id}`}>
            I have copied it
          </a>
        </p>
      </section>
    </Page>
  );
}
