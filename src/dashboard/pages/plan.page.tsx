import { PLANS, PLAN_NAMES } from "../../accounts/plans.ts";
import type { Caller } from "../../accounts/caller.ts";
import type { Viewer } from "../dashboard.http.ts";
import type { Overview } from "../overview.data.ts";
import { shownDate, shownNumber } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { Quota } from "../parts/quota.tsx";

export function PlanPage({
  viewer,
  caller,
  usage: { period, images, videoMinutes },
}: {
  viewer: Viewer;
  caller: Caller;
  usage: Pick<Overview, "period" | "images" | "videoMinutes">;
}) {
  return (
    <Page viewer={viewer} title="Plan" section="Plan">
      <section class="panel" aria-labelledby="current">
        <div class="panel-title">
          <h2 id="current">{caller.plan}</h2>
          <p class="soft">{`${shownDate(period.start)} to ${shownDate(period.end)}`}</p>
        </div>
        <div class="stats">
          <Quota label="Images" use={images} />
          <Quota label="Video minutes" use={videoMinutes} />
          <div class="stat">
            <h3>Requests a minute</h3>
            <p class="figure">{shownLimit(caller.requestsPerMinute)}</p>
          </div>
        </div>
      </section>
      <section class="panel" aria-labelledby="plans">
        <h2 id="plans">All plans</h2>
        <table class="list">
          <thead>
            <tr>
              <th scope="col">Plan</th>
              <th scope="col">Images a month</th>
              <th scope="col">Video minutes a month</th>
              <th scope="col">Requests a minute</th>
            </tr>
          </thead>
          <tbody>
            {PLAN_NAMES.map((name) => (
              <tr class={name === caller.plan ? "current" : undefined}>
                <th scope="row">
                  {name}
                  {name === caller.plan && <small>your plan</small>}
                </th>
                {name === "Enterprise" ? (
                  <td colspan={3}>as agreed</td>
                ) : (
                  <>
                    <td data-label="Images a month">{shownLimit(PLANS[name].imagesPerPeriod)}</td>
                    <td data-label="Video minutes a month">
                      {shownLimit(PLANS[name].videoMinutesPerPeriod)}
                    </td>
                    <td data-label="Requests a minute">{shownLimit(PLANS[name].requestsPerMinute)}</td>
                  </>
                )}
              </tr>
            ))}
          </tbody>
        </table>
        <p class="soft">The operator of this service changes plans.</p>
      </section>
    </Page>
  );
}

function shownLimit(limit: number | null): string {
  return limit === null ? "no limit" : shownNumber(limit);
}
