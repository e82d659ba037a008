import type { WebhookDeliveryDetails } from "../../../work/webhooks/delivery-history.service.ts";
import type { AttemptOutcome } from "../../../records/events/webhooks.table.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { DeliveryState } from "./delivery-list.tsx";
import { ActionButton } from "../parts/forms.tsx";
import { Moment, shownDuration } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";

const PATH = `${DASHBOARD_PATH}/webhooks`;

const OUTCOMES = {
  delivered: "Delivered",
  refused_by_status: "Answered",
  timed_out: "Timed out",
  connection_failed: "No connection",
  address_not_public: "The address is not public",
  host_not_found: "The host has no address",
} as const satisfies Record<AttemptOutcome, string>;

type Attempt = WebhookDeliveryDetails["attempts"][number];

/** One delivery: what was sent, what came back, and how long it took, for every attempt. */
export function DeliveryPage({ viewer, delivery }: { viewer: Viewer; delivery: WebhookDeliveryDetails }) {
  const isOwner = viewer.team?.role === "owner";
  const actions = isOwner ? (
    <ActionButton viewer={viewer} action={`${PATH}/deliveries/${delivery.id}/resend`} tone="primary">
      Send again
    </ActionButton>
  ) : undefined;
  return (
    <Page viewer={viewer} title="Delivery" section="Webhooks" actions={actions}>
      <div
        id="delivery"
        class="stack wide-gap"
        data-part
        data-live={delivery.status === "pending" ? "" : undefined}
        data-version={`${delivery.status} ${delivery.attempts.length}`}
      >
        <section class="panel" aria-label="Delivery">
          <dl class="facts">
            <div>
              <dt>State</dt>
              <dd>
                <DeliveryState status={delivery.status} />
              </dd>
            </div>
            <div>
              <dt>Event</dt>
              <dd>{delivery.eventKind}</dd>
            </div>
            <div>
              <dt>Endpoint</dt>
              <dd>
                <a href={`${PATH}/${delivery.endpointId}`}>
                  <code>{delivery.endpointUrl}</code>
                </a>
              </dd>
            </div>
            <div>
              <dt>Created</dt>
              <dd>
                <Moment ms={delivery.createdAt} />
              </dd>
            </div>
            {delivery.nextAttemptAt !== null && delivery.attempts.length > 0 && (
              <div>
                <dt>Next attempt</dt>
                <dd>
                  <Moment ms={delivery.nextAttemptAt} />
                </dd>
              </div>
            )}
            <div>
              <dt>Event ID</dt>
              <dd>
                <code>{delivery.eventId}</code>
              </dd>
            </div>
          </dl>
        </section>
        {delivery.attempts.toReversed().map((attempt) => (
          <AttemptPanel attempt={attempt} />
        ))}
        <section class="panel" aria-labelledby="body">
          <h2 id="body">Request body</h2>
          <pre tabindex={0}>
            <code>{pretty(delivery.requestBody)}</code>
          </pre>
        </section>
      </div>
    </Page>
  );
}

function outcomeOf(outcome: AttemptOutcome, status: number | null): string {
  if (status === null) return OUTCOMES[outcome];
  return outcome === "refused_by_status"
    ? `${OUTCOMES[outcome]} ${status}`
    : `${OUTCOMES[outcome]}, ${status}`;
}

function AttemptPanel({ attempt }: { attempt: Attempt }) {
  const { number, outcome, responseStatus, responseBody, responseHeaders, isResponseCut } = attempt;
  return (
    <section class="panel" aria-labelledby={`attempt-${number}`}>
      <div class="panel-title">
        <h2 id={`attempt-${number}`}>{`Attempt ${number}: ${outcomeOf(outcome, responseStatus)}`}</h2>
        <p class="soft">
          <Moment ms={attempt.startedAt} /> {`· took ${shownDuration(attempt.durationMs)}`}
        </p>
      </div>
      <details>
        <summary>Request headers</summary>
        <Headers headers={attempt.requestHeaders} />
      </details>
      {responseHeaders !== null && (
        <details>
          <summary>Response headers</summary>
          <Headers headers={responseHeaders} />
        </details>
      )}
      {responseBody !== null && responseBody !== "" && (
        <>
          <h3>{isResponseCut ? "Start of the response" : "Response"}</h3>
          <pre tabindex={0}>
            <code>{responseBody}</code>
          </pre>
        </>
      )}
    </section>
  );
}

function Headers({ headers }: { headers: Readonly<Record<string, string>> }) {
  return (
    <pre tabindex={0}>
      <code>
        {Object.entries(headers)
          .map(([name, value]) => `${name}: ${value}`)
          .join("\n")}
      </code>
    </pre>
  );
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 2);
}
