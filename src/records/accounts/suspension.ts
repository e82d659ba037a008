import { VeilError } from "../../ground/platform/errors.ts";

/** The parts of a suspended account that its callers may see. */
interface SuspendedAccount {
  /** The operator's reason, without a period; null if the operator gave none. */
  readonly suspendedReason: string | null;
  readonly deletionRequestedAt: number | null;
}

/** 401: the account is suspended, or is being deleted. */
export function accountSuspended({ suspendedReason, deletionRequestedAt }: SuspendedAccount): VeilError {
  const reason = suspendedReason === null ? "" : ` The reason given is: ${suspendedReason}.`;
  return new VeilError({
    code: "unauthorized",
    message:
      deletionRequestedAt === null
        ? `The operator of this service has suspended the account.${reason} Contact the operator to have it resumed.`
        : `The account is being deleted by the operator of this service.${reason}`,
    headers: { "WWW-Authenticate": 'Bearer error="invalid_token"' },
  });
}
