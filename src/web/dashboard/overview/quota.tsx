import type { QuotaUse } from "./overview.data.ts";
import { shownNumber } from "../parts/format.tsx";

/**
 * How much of a quota is taken, as numbers and, where there is a limit, as a bar. What files under way have reserved is taken:
 * an upload is measured against it.
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
    // Hundredths of a minute are no binary fractions.
    ...(limit === null
      ? []
      : [`${shownNumber(Math.max(0, Math.round((limit - used - reserved) * 100) / 100))} left`]),
  ];
  return parts.join(", ");
}
