import { VeilError, notFound } from "../../ground/platform/errors.ts";

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

/** @param nextRotationAt when the oldest secret stops signing, in milliseconds */
export function tooManySecrets(limit: number, nextRotationAt: number): VeilError {
  return new VeilError({
    code: "conflict",
    message: `${limit} secrets of this endpoint sign, which is the limit. The next one can be created at ${new Date(nextRotationAt).toISOString()}, when the oldest one stops.`,
    details: { reason: "too_many_secrets" },
  });
}

export function endpointDisabled(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "The webhook endpoint is turned off; turn it on first.",
    details: { reason: "endpoint_disabled" },
  });
}
