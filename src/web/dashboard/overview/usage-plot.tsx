import type { DayCount } from "./overview.data.ts";
import { shownDate, shownDay, shownNumber } from "../parts/format.tsx";

const HEIGHT = 100;
const BAR_WIDTH = 7;
const BAR_STEP = 10;
const DAYS_A_LABEL = 7;
/** How many days' width a label may take on a narrow screen. */
const LABEL_DAYS = 5;

/** How many media items ended on each day, as bars of completed and, on top, failed ones. The table has the same numbers. */
export function UsagePlot({ days }: { days: readonly DayCount[] }) {
  const most = Math.max(1, ...days.map(({ completed, failed }) => completed + failed));
  const top = roundUp(most);
  const heightOf = (count: number): number => (count / top) * HEIGHT;
  return (
    <figure class="plot">
      <div class="plot-area">
        <div class="plot-scale" aria-hidden="true">
          <span>{shownNumber(top)}</span>
          <span>{shownNumber(top / 2)}</span>
          <span>0</span>
        </div>
        <svg
          viewBox={`0 0 ${days.length * BAR_STEP} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          focusable="false"
        >
          <path class="grid" d={`M0 0H${days.length * BAR_STEP}M0 ${HEIGHT / 2}H${days.length * BAR_STEP}`} />
          {days.map(({ day, completed, failed }, index) => {
            if (completed + failed === 0) return null;
            const x = index * BAR_STEP + (BAR_STEP - BAR_WIDTH) / 2;
            const done = heightOf(completed);
            const bad = heightOf(failed);
            return (
              <g>
                <title>{`${shownDate(day)}: ${completed} completed, ${failed} failed`}</title>
                <rect class="target" x={index * BAR_STEP} y="0" width={BAR_STEP} height={HEIGHT} />
                <rect class="completed" x={x} y={HEIGHT - done} width={BAR_WIDTH} height={done} />
                <rect class="failed" x={x} y={HEIGHT - done - bad} width={BAR_WIDTH} height={bad} />
              </g>
            );
          })}
        </svg>
        <div class="plot-dates" aria-hidden="true">
          {days.map(({ day }, index) => (
            <span>{isLabeled(index, days.length) ? shownDay(day) : ""}</span>
          ))}
        </div>
      </div>
      <figcaption>
        <strong>Files per day (UTC)</strong>
        <span class="key completed">Completed</span>
        <span class="key failed">Failed</span>
      </figcaption>
      <table class="unseen">
        <caption>Media by day</caption>
        <thead>
          <tr>
            <th scope="col">Day</th>
            <th scope="col">Completed</th>
            <th scope="col">Failed</th>
          </tr>
        </thead>
        <tbody>
          {days
            .filter(({ completed, failed }) => completed + failed > 0)
            .map(({ day, completed, failed }) => (
              <tr>
                <th scope="row">{shownDate(day)}</th>
                <td>{completed}</td>
                <td>{failed}</td>
              </tr>
            ))}
        </tbody>
      </table>
    </figure>
  );
}

/** Once a week, and never so close to the end that the label would stick out. */
function isLabeled(index: number, days: number): boolean {
  return index % DAYS_A_LABEL === 0 && days - index >= LABEL_DAYS;
}

/** The smallest of 2, 4, 10, 20, 40, 100 … that is at least `value`, so that half of it is a whole number. */
function roundUp(value: number): number {
  const magnitude = 10 ** Math.floor(Math.log10(value));
  return ([2, 4, 10, 20].find((step) => step * magnitude >= value) ?? 20) * magnitude;
}
