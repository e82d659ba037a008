import type { QuotaUse } from "./overview.data.ts";
import { shownNumber } from "../parts/format.tsx";

/**
 * How much of a quota is used, as numbers and, if there is a limit, as a bar. Reservations of running jobs count as used, as they do for
 * new uploads.
 */
export function Quota({ label, use: { used, reserved, limit } }: { label: string; use: QuotaUse }) {
  const taken = used + reserved;
  const words = wordsOf({ used, reserved, limit });
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
      {words !== "" && <p class="hint">{words}</p>}
    </div>
  );
}

function wordsOf({ used, reserved, limit }: QuotaUse): string {
  const parts = [
    ...(reserved > 0
      ? [`${shownNumber(used)} done, ${shownNumber(reserved)} reserved for files in progress`]
      : []),
    // Hundredths of a minute are not exact in binary.
    ...(limit === null
      ? []
      : [`${shownNumber(Math.max(0, Math.round((limit - used - reserved) * 100) / 100))} left`]),
  ];
  return parts.join(", ");
}
