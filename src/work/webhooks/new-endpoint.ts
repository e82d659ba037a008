import { nowMs } from "../../ground/platform/clock.ts";
import { fieldErrors, validationFailed } from "../../ground/platform/errors.ts";
import { newId } from "../../ground/platform/ids.ts";
import { errorFields, log } from "../../ground/platform/log.ts";
import { checkPublicUrl } from "../../ground/public-hosts/public-url.ts";
import { refusalOfHost, resolveHost } from "../../ground/public-hosts/host-resolver.ts";
import { encryptSecret } from "../../ground/platform/encrypted-secret.ts";
import { newSigningSecret } from "./secrets.ts";
import { endpointOrderSchema } from "./webhooks.schemas.ts";
import { type NewEndpointRow } from "../../records/events/webhooks.table.ts";
import { EVENT_KINDS, type EventKind } from "../../ground/vocabulary/event-kinds.ts";

/** The most endpoints per account. Each event is sent to all endpoints that subscribe to it. */
export const MAX_ENDPOINTS = 20;

/** The settings needed to check and encrypt an endpoint. */
export interface NewEndpointEnv {
  readonly WEBHOOK_SECRET_KEYS: readonly string[];
  readonly LOCAL_DEVELOPMENT: boolean;
  readonly DNS_RESOLVER_URL: string;
}

/** The requested properties of a new endpoint. */
export interface EndpointOrder {
  readonly url: string;
  readonly event_kinds?: readonly string[] | undefined;
}

/** Prepares an endpoint for storage, with its secret encrypted, and returns the secret too. @throws VeilError 422 */
export async function prepareEndpoint(
  config: NewEndpointEnv,
  accountId: string,
  order: EndpointOrder,
): Promise<{ row: NewEndpointRow; secret: string }> {
  const { url = "", eventKinds = [...EVENT_KINDS] } = await checkOrder(config, order);
  const id = newId("webhookEndpoint");
  const secret = newSigningSecret();
  const encrypted = await encryptSecret(config.WEBHOOK_SECRET_KEYS, id, secret);
  return { row: { id, accountId, url, eventKinds, secret: encrypted, createdAt: nowMs() }, secret };
}

/**
 * Checks the fields of an order that are present: the URL, including what its host resolves to, and the event kinds. @throws
 * VeilError 422
 */
export async function checkOrder(
  config: NewEndpointEnv,
  order: Partial<EndpointOrder>,
): Promise<{ url: string | undefined; eventKinds: EventKind[] | undefined }> {
  const result = endpointOrderSchema.safeParse(order);
  const fields = result.success ? {} : fieldErrors(result.error);
  const checked = order.url === undefined ? undefined : await checkUrl(config, order.url.trim());
  if (checked !== undefined && "refusal" in checked) fields["url"] = [checked.refusal];
  if (!result.success || Object.keys(fields).length > 0) throw validationFailed(fields);
  return { url: checked && "url" in checked ? checked.url : undefined, eventKinds: result.data.event_kinds };
}

async function checkUrl(
  config: NewEndpointEnv,
  text: string,
): Promise<{ url: string } | { refusal: string }> {
  const checked = checkPublicUrl(text, { isLocal: config.LOCAL_DEVELOPMENT });
  if ("refusal" in checked || checked.nameToResolve === undefined) return checked;
  const { url, nameToResolve } = checked;
  const verdict = await resolveHost(config.DNS_RESOLVER_URL, nameToResolve).catch((error: unknown) => {
    // Every attempt looks the host up again, so an unreachable resolver need not prevent the creation of an endpoint.
    log("warn", "webhook.resolver_unavailable", errorFields(error));
    return "public" as const;
  });
  return verdict === "public" ? { url } : { refusal: refusalOfHost(nameToResolve, verdict) };
}
