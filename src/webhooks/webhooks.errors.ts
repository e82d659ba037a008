import { VeilError, notFound } from "../platform/errors.ts";

export function noSuchEndpoint(): VeilError {
  return notFound("There is no webhook endpoint with this ID.");
}

export function noSuchDelivery(): VeilError {
  return notFound("There is no webhook delivery with this ID.");
}

export function tooManyEndpoints(limit: number): VeilError {
  return new VeilError({
    code: "conflict",
    message: `The account has ${limit} webhook endpoints, which is the limit.`,
    details: { reason: "too_many_endpoints" },
  });
}

export function endpointDisabled(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "The webhook endpoint is turned off; turn it on first.",
    details: { reason: "endpoint_disabled" },
  });
}
