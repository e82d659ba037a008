import type { FileVersion } from "./versions.data.ts";
import { Moment } from "../parts/format.tsx";
import { Page } from "../parts/layout.tsx";
import { ZoomSteps } from "./compare.tsx";
import { makerOfVersion, originOfVersion, versionInALine } from "./version-words.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/media`;

/** Two versions of a file side by side. */
export function CompareVersionsPage({
  viewer,
  mediaId,
  left,
  right,
  versions,
  seen,
}: {
  viewer: Viewer;
  /** The version whose page links here. */
  mediaId: string;
  left: FileVersion;
  right: FileVersion;
  /** All versions of the file. */
  versions: readonly FileVersion[];
  /** The versions that can be compared. */
  seen: readonly FileVersion[];
}) {
  const isVideo = left.row.mediaType === "video";
  return (
    <Page
      viewer={viewer}
      title={`Versions of ${left.row.filename}`}
      section="Media"
      script="compareVersions"
      actions={
        <a class="button" href={`${PATH}/${mediaId}`}>
          Back to the file
        </a>
      }
    >
      <section class="panel" aria-label="Comparison">
        <form class="filters versions-form" method="get" action={`${PATH}/${mediaId}/compare`}>
          {(["left", "right"] as const).map((side) => (
            <div class="field">
              <label for={side}>{side === "left" ? "Left" : "Right"}</label>
              <select id={side} name={side}>
                {seen.map((version) => (
                  <option
                    value={version.number}
                    selected={version.number === (side === "left" ? left : right).number}
                  >
                    {versionInALine(version, versions)}
                  </option>
                ))}
              </select>
            </div>
          ))}
          <button class="plain">Compare</button>
        </form>
        <div
          class="compare"
          data-together={isVideo ? "" : undefined}
          data-side-by-side={isVideo ? undefined : ""}
        >
          {!isVideo && (
            <div class="zoom">
              <ZoomSteps />
            </div>
          )}
          <div class="views">
            {[left, right].map((version, index) => (
              <figure class={index === 0 ? "original" : undefined}>
                <Result version={version} />
                <figcaption>
                  <a href={`${PATH}/${version.row.id}`}>{`Version ${version.number}`}</a>
                  {version.isCurrent && <span class="badge">Current</span>}
                  <span>
                    {originOfVersion(version, versions)}
                    {makerOfVersion(version) !== undefined && ` by ${makerOfVersion(version)}`}
                    {", "}
                    <Moment ms={version.row.createdAt} />
                  </span>
                </figcaption>
              </figure>
            ))}
          </div>
        </div>
      </section>
    </Page>
  );
}

function Result({ version: { row, number } }: { version: FileVersion }) {
  const path = `${PATH}/${row.id}/output`;
  if (row.mediaType === "video") return <video src={path} controls preload="metadata" />;
  return (
    <div class="pane">
      <img src={path} alt={`Version ${number}`} />
    </div>
  );
}
