import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import type { Overview } from "./overview.data.ts";
import type { UploadOptions } from "../upload/upload.data.ts";
import { shownDate, shownDuration, shownNumber } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { MediaList } from "../parts/media-list.tsx";
import { Quota } from "./quota.tsx";
import { UploadForm, UploadLink } from "../upload/upload-form.tsx";
import { UsagePlot } from "./usage-plot.tsx";

/** The first page: usage, quota, the upload form and the newest media. */
export function OverviewPage({
  viewer,
  overview,
  uploadOptions,
  notice,
}: {
  viewer: Viewer;
  overview: Overview;
  uploadOptions: UploadOptions;
  notice: string | undefined;
}) {
  const { period, images, videoMinutes, days, completed, failed, latencyMs, recent, others, reviews } =
    overview;
  const ended = completed + failed;
  const isNew = recent.length === 0;
  return (
    <Page
      viewer={viewer}
      title="Overview"
      section="Overview"
      notice={notice}
      actions={isNew ? undefined : <UploadLink />}
      script={isNew ? "upload" : "overview"}
    >
      {isNew && (
        <UploadForm viewer={viewer} options={uploadOptions}>
          <h2>Redact the first photo</h2>
          <p class="soft">
            Choose a photo and what to redact, then compare the result with the original. To redact from a
            program, <a href={`${DASHBOARD_PATH}/keys`}>create an API key</a> and read the{" "}
            <a href="/docs">reference</a>.
          </p>
        </UploadForm>
      )}
      <section
        class="panel"
        id="period"
        aria-labelledby="usage"
        data-part
        data-version={JSON.stringify([images, videoMinutes, completed, failed])}
      >
        <div class="panel-title">
          <h2 id="usage">This period</h2>
          <p class="soft">{`${shownDate(period.start)} to ${shownDate(period.end)}`}</p>
        </div>
        <div class="stats">
          <Quota label="Images" use={images} />
          <Quota label="Video minutes" use={videoMinutes} />
          <div class="stat">
            <h3>Success</h3>
            <p class="figure">
              {ended === 0 ? "–" : `${percent(completed / ended)}%`}
              <small>{ended === 0 ? " none yet" : ` of ${shownNumber(ended)}`}</small>
            </p>
          </div>
        </div>
        <UsagePlot days={days} />
        <p class="soft">
          Files in progress count, failed files do not. <a href={`${DASHBOARD_PATH}/plan`}>Plan</a>
        </p>
      </section>
      <section
        class="panel"
        id="latency"
        aria-labelledby="latency-title"
        data-part
        data-version={JSON.stringify(latencyMs ?? null)}
      >
        <div class="panel-title">
          <h2 id="latency-title">Time to result</h2>
          <p class="soft">Latest 100 files, from upload to result</p>
        </div>
        <div class="stats">
          <div class="stat">
            <h3>Median</h3>
            <p class="figure">{latencyMs === undefined ? "–" : shownDuration(latencyMs.median)}</p>
          </div>
          <div class="stat">
            <h3>95th percentile</h3>
            <p class="figure">{latencyMs === undefined ? "–" : shownDuration(latencyMs.p95)}</p>
          </div>
        </div>
      </section>
      <div class="part" id="recent-media" data-part data-version={recent.length === 0 ? "none" : "some"}>
        {recent.length > 0 && (
          <section class="panel" aria-labelledby="recent">
            <div class="panel-title">
              <h2 id="recent">Recent media</h2>
              <a href={`${DASHBOARD_PATH}/media`}>All media</a>
            </div>
            <MediaList rows={recent} others={others} reviews={reviews} />
          </section>
        )}
      </div>
    </Page>
  );
}

/** A share as a percentage, never rounded up to 100. */
function percent(share: number): string {
  const value = Math.floor(share * 1000) / 10;
  return Number.isInteger(value) ? String(value) : value.toFixed(1);
}
