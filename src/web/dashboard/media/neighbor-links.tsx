import { DASHBOARD_PATH } from "../request/dashboard.http.ts";

const PATH = `${DASHBOARD_PATH}/media`;

/** Links to the next and previous file in the list. The page's script opens them by key. */
export function NeighborLinks({
  newerId,
  olderId,
}: {
  newerId: string | undefined;
  olderId: string | undefined;
}) {
  return (
    <nav class="pages beside" aria-label="Files">
      <a class="button" href={PATH}>
        All media
      </a>
      {newerId !== undefined && (
        <a class="button" rel="prev" href={`${PATH}/${newerId}`} aria-keyshortcuts="K" title="Key: K">
          Previous
        </a>
      )}
      {olderId !== undefined && (
        <a class="button" rel="next" href={`${PATH}/${olderId}`} aria-keyshortcuts="J" title="Key: J">
          Next
        </a>
      )}
    </nav>
  );
}
