import type { QuotaUse } from "../overview.data.ts";
import { shownNumber } from "./format.tsx";

/** How much of a quota is used, as numbers and, where there is a limit, as a bar. */
export function Quota({ label, use: { used, limit } }: { label: string; use: QuotaUse }) {
  return (
    <div class="stat">
      <h3>{label}</h3>
      <p class="figure">
        {shownNumber(used)}
        <small>{limit === null ? " used, no limit" : ` of ${shownNumber(limit)}`}</small>
      </p>
      {limit !== null && (
        <progress
          class={used / limit >= 0.9 ? "high" : undefined}
          max={limit}
          value={used}
          aria-label={label}
        >
          {`${used} of ${limit}`}
        </progress>
      )}
    </div>
  );
}
