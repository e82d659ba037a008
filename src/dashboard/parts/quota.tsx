import type { QuotaUse } from "../data/overview.data.ts";
import { shownNumber } from "./format.tsx";

/**
 * How much of a quota is taken, as numbers and, where there is a limit, as a bar. What files under way have reserved is taken:
 * an upload is measured against it.
 */
export function Quota({ label, use: { used, reserved, limit } }: { label: string; use: QuotaUse }) {
  const taken = used + reserved;
  return (
    <div class="stat">
      <h3>{label}</h3>
      <p class="figure">
        {shownNumber(taken)}
        <small>{limit === null ? " used, no limit" : ` of ${shownNumber(limit)}`}</small>
      </p>
      {limit !== null && (
        <progress
          class={taken / limit >= 0.9 ? "high" : undefined}
          max={limit}
          value={taken}
          aria-label={label}
        >
          {`${taken} of ${limit}`}
        </progress>
      )}
      {reserved > 0 && (
        <p class="hint">{`${shownNumber(used)} done, ${shownNumber(reserved)} reserved for files in progress`}</p>
      )}
    </div>
  );
}
