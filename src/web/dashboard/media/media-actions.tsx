import type { MediaRow } from "../../../records/media/media.repository.ts";
import { successorOf } from "../../../records/media-api/media-included.schemas.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { ActionButton } from "../parts/forms.tsx";
import { Icon } from "../parts/icons.tsx";
import { KeptNames, recordRemains } from "./kept-names.tsx";

const PATH = `${DASHBOARD_PATH}/media`;

/** The actions for a file, in the order of their use. Rare ones are in a menu. */
export function MediaActions({
  viewer,
  row,
  hasSource,
  hasOutput,
  canRetry,
  canReview,
  versions,
  keepsNames,
}: {
  viewer: Viewer;
  row: MediaRow;
  hasSource: boolean;
  hasOutput: boolean;
  /** Whether it failed and can be retried. */
  canRetry: boolean;
  /** Whether it can be sent to review. */
  canReview: boolean;
  /** How many versions of the file there are, which are deleted together. */
  versions: number;
  /** Whether the names of deleted files are kept. */
  keepsNames: boolean;
}) {
  const path = `${PATH}/${row.id}`;
  const successorId = successorOf(row);
  return (
    <div class="actions">
      <div
        class="part"
        id="download"
        data-part
        data-version={`${row.status} ${hasOutput} ${hasSource} ${canRetry}`}
      >
        {canRetry && (
          <ActionButton viewer={viewer} action={`${path}/retry`} tone="primary">
            <Icon name="retry" />
            Retry
          </ActionButton>
        )}
        {hasOutput && (
          <a class="button primary" href={`${PATH}/${successorId ?? row.id}/download`}>
            <Icon name="download" />
            {successorId === undefined ? "Download" : "Download the current version"}
          </a>
        )}
        {row.status === "completed" && hasSource && (
          <a class="button" href={`${path}/edit`}>
            <Icon name="edit" />
            Edit
          </a>
        )}
      </div>
      <div class="part" id="more" data-part data-version={`${row.status} ${canReview} ${versions}`}>
        <details class="menu more-actions" data-menu>
          <summary class="button">More</summary>
          <div class="menu-content">
            {row.status === "completed" && (
              <a class="button" href={`${path}/report`}>
                <Icon name="audit" />
                Report
              </a>
            )}
            {canReview && (
              <ActionButton viewer={viewer} action={`${PATH}/selection/review`} fields={{ id: row.id }}>
                <Icon name="eye" />
                Send to review
              </ActionButton>
            )}
            <ActionButton
              viewer={viewer}
              action={`${path}/delete`}
              tone="danger"
              confirm={
                versions === 1
                  ? `Permanently delete this file, both the original and the result? ${recordRemains(keepsNames)}`
                  : `Permanently delete this file with all its ${versions} versions: the original and every result? ${recordRemains(keepsNames)}`
              }
            >
              <Icon name="trash" />
              Delete
            </ActionButton>
            <KeptNames viewer={viewer} keepsNames={keepsNames} />
          </div>
        </details>
      </div>
    </div>
  );
}
