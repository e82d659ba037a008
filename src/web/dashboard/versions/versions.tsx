import type { FileVersion } from "./versions.data.ts";
import { versionsToSee, versionsUnderWay } from "./versions.data.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { ActionButton } from "../parts/forms.tsx";
import { Moment, Status } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { makerOfVersion, originOfVersion } from "./version-words.ts";

const PATH = `${DASHBOARD_PATH}/media`;

/** All versions of a file: what each is, who created it and when, and the possible actions. */
export function Versions({
  viewer,
  versions,
  shownId,
  hasSource,
}: {
  viewer: Viewer;
  versions: readonly FileVersion[];
  /** The version whose page this is. */
  shownId: string;
  /** Whether the original is kept, so that an older version can be made current again. */
  hasSource: boolean;
}) {
  if (versions.length < 2) return null;
  const seen = new Set(versionsToSee(versions).map(({ row }) => row.id));
  const canRestore = hasSource && versionsUnderWay(versions).length === 0;
  return (
    <section class="panel" aria-labelledby="versions">
      <h2 id="versions">{`${versions.length} versions`}</h2>
      <ul class="versions">
        {versions.map((version) => {
          const { row, number, isCurrent } = version;
          const isShown = row.id === shownId;
          const by = makerOfVersion(version);
          return (
            <li aria-current={isShown ? "true" : undefined}>
              <span class="version-name">
                {isShown ? (
                  <strong>{`Version ${number}`}</strong>
                ) : (
                  <a href={`${PATH}/${row.id}`}>{`Version ${number}`}</a>
                )}
                {isCurrent && <span class="badge">Current</span>}
                {isShown && <span class="soft">shown here</span>}
              </span>
              <span class="version-about">
                {originOfVersion(version, versions)}
                {by !== undefined && ` by ${by}`}
                <small>
                  <Moment ms={row.createdAt} />
                </small>
                {row.status !== "completed" && <Status status={row.status} />}
              </span>
              <span class="actions">
                {!isShown && seen.has(row.id) && seen.has(shownId) && (
                  <a
                    class="button"
                    href={`${PATH}/${shownId}/compare?left=${Math.min(number, numberOf(shownId, versions))}&right=${Math.max(number, numberOf(shownId, versions))}`}
                    aria-label={`Compare with version ${number}`}
                  >
                    Compare
                  </a>
                )}
                {!isCurrent && seen.has(row.id) && canRestore && (
                  <ActionButton viewer={viewer} action={`${PATH}/${row.id}/restore`}>
                    <Icon name="undo" />
                    Restore
                    <span class="unseen">{` version ${number}`}</span>
                  </ActionButton>
                )}
              </span>
            </li>
          );
        })}
      </ul>
      {!hasSource && (
        <p class="soft">The original is deleted, so an older version can no longer be restored.</p>
      )}
    </section>
  );
}

function numberOf(id: string, versions: readonly FileVersion[]): number {
  return versions.find(({ row }) => row.id === id)?.number ?? 1;
}
