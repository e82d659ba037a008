import { Hono } from "hono";
import { z } from "zod";
import { VeilError, notFound } from "../../../ground/platform/errors.ts";
import { originOf } from "../../../ground/platform/http.ts";
import {
  findDelivery,
  listDeliveries,
  resendDelivery,
} from "../../../work/webhooks/delivery-history.service.ts";
import { sendTestEvent } from "../../../work/webhooks/test-event.service.ts";
import {
  createEndpoint,
  deleteEndpoint,
  disableEndpoint,
  enableEndpoint,
  findEndpoint,
  listEndpoints,
  rotateSecret,
  updateEndpoint,
} from "../../../work/webhooks/webhook-endpoints.service.ts";
import type { EndpointOwnership } from "../../../records/events/webhook-endpoints.repository.ts";
import { EVENT_KINDS } from "../../../ground/vocabulary/event-kinds.ts";
import {
  DASHBOARD_PATH,
  deedBy,
  ownersOnly,
  parameterOf,
  teamOf,
  viewerOf,
  type DashboardContext,
  type DashboardEnv,
  type FormFaults,
} from "../request/dashboard.http.ts";
import { noticeOf, withNotice } from "../request/notices.ts";
import { DeliveryPage } from "./delivery.page.tsx";
import { EndpointPage, SecretPage, WebhooksPage } from "./webhooks.pages.tsx";

const PATH = `${DASHBOARD_PATH}/webhooks`;
const LATEST = 10;
const PAGE_SIZE = 25;
const kindSchema = z.enum(EVENT_KINDS);
/** The end of the previous page: the time and the ID of its last delivery. */
const cursorSchema = z
  .string()
  .regex(/^\d{1,15}\.[\w-]{1,50}$/)
  .transform((text) => {
    const dot = text.indexOf(".");
    return { createdAt: Number(text.slice(0, dot)), id: text.slice(dot + 1) };
  })
  .optional()
  .catch(undefined);

export const webhookRoutes = new Hono<DashboardEnv>();

webhookRoutes.get("/", async (c) => await webhooksPage(c));

webhookRoutes.post("/", ownersOnly, async (c) => {
  const entered = await enteredEndpoint(c);
  try {
    const { endpoint, secret } = await createEndpoint(
      c.get("config"),
      { accountId: teamOf(c).accountId, deed: deedBy(c) },
      { url: entered.url, event_kinds: entered.eventKinds },
    );
    return await c.html(
      <SecretPage viewer={viewerOf(c)} endpoint={endpoint} secret={secret} isRotated={false} />,
    );
  } catch (error) {
    return await webhooksPage(c, { faults: faultsOf(error), entered });
  }
});

webhookRoutes.get("/deliveries/:deliveryId", async (c) => {
  const owned = { accountId: teamOf(c).accountId, deliveryId: parameterOf(c, "deliveryId") };
  const delivery = await findDelivery(c.get("config"), owned);
  return c.html(<DeliveryPage viewer={viewerOf(c)} delivery={delivery} />);
});

webhookRoutes.post("/deliveries/:deliveryId/resend", ownersOnly, async (c) => {
  const owned = { accountId: teamOf(c).accountId, deliveryId: parameterOf(c, "deliveryId") };
  const deliveryId = await resendDelivery(c.get("config"), owned, c.get("requestId"));
  return c.redirect(`${PATH}/deliveries/${deliveryId}`, 303);
});

webhookRoutes.get("/:endpointId", async (c) => await endpointPage(c));

webhookRoutes.post("/:endpointId", ownersOnly, async (c) => {
  const entered = await enteredEndpoint(c);
  const owned = ownedOf(c);
  try {
    await updateEndpoint(c.get("config"), changedBy(c), {
      url: entered.url,
      event_kinds: entered.eventKinds,
    });
    return c.redirect(withNotice(`${PATH}/${owned.endpointId}`, "endpoint_changed"), 303);
  } catch (error) {
    return await endpointPage(c, { faults: faultsOf(error), entered });
  }
});

webhookRoutes.post("/:endpointId/test", ownersOnly, async (c) => {
  const kind = kindSchema.safeParse((await c.req.parseBody())["kind"]);
  if (!kind.success) throw notFound("There is no such event to test with.");
  const deliveryId = await sendTestEvent(c.get("config"), ownedOf(c), {
    kind: kind.data,
    requestId: c.get("requestId"),
    origin: originOf(c),
  });
  return c.redirect(`${PATH}/deliveries/${deliveryId}`, 303);
});

webhookRoutes.post("/:endpointId/rotate", ownersOnly, async (c) => {
  const { endpoint, secret } = await rotateSecret(c.get("config"), changedBy(c));
  return c.html(<SecretPage viewer={viewerOf(c)} endpoint={endpoint} secret={secret} isRotated />);
});

webhookRoutes.post("/:endpointId/disable", ownersOnly, async (c) => {
  const { id } = await disableEndpoint(c.get("config"), changedBy(c));
  return c.redirect(withNotice(`${PATH}/${id}`, "endpoint_changed"), 303);
});

webhookRoutes.post("/:endpointId/enable", ownersOnly, async (c) => {
  const { id } = await enableEndpoint(c.get("config"), changedBy(c));
  return c.redirect(withNotice(`${PATH}/${id}`, "endpoint_changed"), 303);
});

webhookRoutes.post("/:endpointId/delete", ownersOnly, async (c) => {
  await deleteEndpoint(c.get("config"), changedBy(c));
  return c.redirect(withNotice(PATH, "endpoint_deleted"), 303);
});

interface Entered {
  readonly url: string;
  readonly eventKinds: readonly string[];
}

async function enteredEndpoint(c: DashboardContext): Promise<Entered> {
  const { url, event_kinds: kinds = [] } = await c.req.parseBody({ all: true });
  return {
    url: typeof url === "string" ? url : "",
    eventKinds: [kinds].flat().filter((kind) => typeof kind === "string"),
  };
}

/** The form's errors for a refusal. Other errors are rethrown. */
function faultsOf(error: unknown): FormFaults {
  if (!(error instanceof VeilError)) throw error;
  if (error.code === "conflict") return { form: error.message };
  if (error.code !== "validation_failed") throw error;
  const entries = Object.entries(error.details).map(([field, sentences]) => [
    field,
    [sentences].flat().join(" "),
  ]);
  return Object.fromEntries(entries) as FormFaults;
}

function ownedOf(c: DashboardContext): { accountId: string; endpointId: string } {
  return { accountId: teamOf(c).accountId, endpointId: parameterOf(c, "endpointId") };
}

/** The endpoint of the path, and who changes it. */
function changedBy(c: DashboardContext): EndpointOwnership {
  return { ...ownedOf(c), deed: deedBy(c) };
}

async function webhooksPage(
  c: DashboardContext,
  form?: { faults: FormFaults; entered: Entered },
): Promise<Response> {
  const config = c.get("config");
  const { accountId } = teamOf(c);
  const [endpoints, { deliveries }] = await Promise.all([
    listEndpoints(config, accountId),
    listDeliveries(config, { accountId, limit: LATEST }),
  ]);
  return c.html(
    <WebhooksPage
      viewer={viewerOf(c)}
      endpoints={endpoints}
      deliveries={deliveries}
      faults={form?.faults}
      entered={form?.entered}
      notice={noticeOf(c.req.query("notice"))}
    />,
    form === undefined ? 200 : 422,
  );
}

async function endpointPage(
  c: DashboardContext,
  form?: { faults: FormFaults; entered: Entered },
): Promise<Response> {
  const config = c.get("config");
  const owned = ownedOf(c);
  const after = cursorSchema.parse(c.req.query("after"));
  const endpoint = await findEndpoint(config, owned);
  const { deliveries, next } = await listDeliveries(config, { ...owned, after, limit: PAGE_SIZE });
  return c.html(
    <EndpointPage
      viewer={viewerOf(c)}
      endpoint={endpoint}
      deliveries={deliveries}
      next={next && `${PATH}/${owned.endpointId}?after=${next.createdAt}.${next.id}`}
      faults={form?.faults}
      entered={form?.entered}
      notice={noticeOf(c.req.query("notice"))}
    />,
    form === undefined ? 200 : 422,
  );
}
