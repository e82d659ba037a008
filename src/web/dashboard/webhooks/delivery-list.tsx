import type { WebhookDelivery } from "../../../work/webhooks/delivery-history.service.ts";
import type { DeliveryStatus } from "../../../records/events/webhooks.table.ts";
import { DASHBOARD_PATH } from "../request/dashboard.http.ts";
import { Moment } from "../parts/format.tsx";

const TEXTS = {
  pending: "Pending",
  delivered: "Delivered",
  failed: "Failed",
} as const satisfies Record<DeliveryStatus, string>;

const ORIGINS = { event: "", resend: "sent again", test: "test" } as const;

/** A delivery's state: a dot in its color and its name. */
export function DeliveryState({ status }: { status: DeliveryStatus }) {
  return <span class={`status ${status}`}>{TEXTS[status]}</span>;
}

/** Deliveries as rows that link to their pages. The list is updated while one is pending. */
export function DeliveryList({
  deliveries,
  withUrl = false,
}: {
  deliveries: readonly WebhookDelivery[];
  withUrl?: boolean;
}) {
  if (deliveries.length === 0) return <p class="soft">Nothing has been sent yet.</p>;
  return (
    <ul
      class="rows no-icons"
      id="delivery-rows"
      data-part
      data-live={deliveries.some(({ status }) => status === "pending") ? "" : undefined}
    >
      {deliveries.map((delivery) => (
        <li id={delivery.id} data-version={`${delivery.status} ${delivery.failures}`}>
          <a href={`${DASHBOARD_PATH}/webhooks/deliveries/${delivery.id}`}>
            <span class="row-name">{delivery.eventKind}</span>
            {ORIGINS[delivery.origin] !== "" && <small>{ORIGINS[delivery.origin]}</small>}
          </a>
          <span class="row-what">{withUrl ? delivery.endpointUrl : delivery.mediaId}</span>
          <span class="row-size">{delivery.failures === 0 ? "" : attempts(delivery.failures)}</span>
          <span class="row-when">
            <Moment ms={delivery.createdAt} />
          </span>
          <DeliveryState status={delivery.status} />
        </li>
      ))}
    </ul>
  );
}

function attempts(failures: number): string {
  return failures === 1 ? "1 failure" : `${failures} failures`;
}
