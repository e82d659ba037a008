import { PLANS, PLAN_NAMES } from "../../../ground/vocabulary/plans.ts";
import type { Caller } from "../../../records/accounts/caller.ts";
import type { Viewer } from "../request/dashboard.http.ts";
import type { Overview } from "./overview.data.ts";
import { shownDate, shownNumber } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { Table } from "../parts/table.tsx";
import { Quota } from "./quota.tsx";

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
            <h3>Requests per minute</h3>
            <p class="figure">{shownLimit(caller.requestsPerMinute)}</p>
          </div>
        </div>
      </section>
      <section class="panel" aria-labelledby="plans">
        <h2 id="plans">All plans</h2>
        <Table
          columns={["Plan", "Images per month", "Video minutes per month", "Requests per minute"]}
          rows={PLAN_NAMES.map((name) => {
            const { imagesPerPeriod, videoMinutesPerPeriod, requestsPerMinute } = PLANS[name];
            const limits = [imagesPerPeriod, videoMinutesPerPeriod, requestsPerMinute];
            const isOwn = name === caller.plan;
            return {
              tone: isOwn ? "current" : undefined,
              head: (
                <>
                  {name}
                  {isOwn && <small>your plan</small>}
                </>
              ),
              cells: limits.map((limit) => (name === "Enterprise" ? "custom" : shownLimit(limit))),
            };
          })}
        />
        <p class="soft">To change the plan, ask the operator of this service.</p>
      </section>
    </Page>
  );
}

function shownLimit(limit: number | null): string {
  return limit === null ? "no limit" : shownNumber(limit);
}
