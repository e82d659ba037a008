import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { addressOf, type MediaQuery } from "./media-query.ts";
import { CsrfField } from "../parts/forms.tsx";
import { Icon } from "../parts/icons.tsx";
import { KeptNames, recordRemains } from "./kept-names.tsx";
import { RETRY_PATH } from "../parts/retry.tsx";

const PATH = `${DASHBOARD_PATH}/media`;

/** The ID of the form that the checkboxes of a list belong to. */
export const SELECTION_FORM = "selection";

/** The actions on the selected files and on all that match, and the display settings. */
export function SelectionBar({
  viewer,
  query,
  hasRetryable,
  keepsNames,
}: {
  viewer: Viewer;
  query: MediaQuery;
  /** Whether a file of the list can be retried. */
  hasRetryable: boolean;
  /** Whether the names of deleted files are kept. */
  keepsNames: boolean;
}) {
  const view = query.view ?? "list";
  const { page: _page, sort: _sort, order: _order, view: _view, ...filter } = query;
  return (
    <div class="selection-bar">
      <form
        class="inline"
        id={SELECTION_FORM}
        method="post"
        action={`${PATH}/selection/download`}
        data-selection
      >
        <CsrfField viewer={viewer} />
        <label hidden>
          <input type="checkbox" data-all autocomplete="off" />
          Select all
        </label>
        <button class="plain">
          <Icon name="download" />
          Download
        </button>
        <button class="plain" formaction={`${PATH}/selection/review`}>
          <Icon name="eye" />
          Send to review
        </button>
        {hasRetryable && (
          <button class="plain" formaction={RETRY_PATH}>
            <Icon name="retry" />
            Retry
          </button>
        )}
        <button
          class="danger"
          formaction={`${PATH}/selection/delete`}
          data-confirm={`Permanently delete {count} files: the originals, the results and all their versions? ${recordRemains(keepsNames)}`}
        >
          <Icon name="trash" />
          Delete
        </button>
        <span class="soft" data-count role="status"></span>
        <KeptNames viewer={viewer} keepsNames={keepsNames} />
      </form>
      <div class="actions">
        <a class="button" href={addressOf(`${PATH}/archive`, filter)} download>
          <Icon name="download" />
          Download all
        </a>
        <nav class="switch" aria-label="View">
          {(["list", "grid"] as const).map((name) => (
            <a
              class="button"
              href={addressOf(PATH, { ...query, view: name })}
              aria-current={name === view ? "true" : undefined}
            >
              <Icon name={name} />
              <span class="unseen">{name === "list" ? "List" : "Grid"}</span>
            </a>
          ))}
        </nav>
      </div>
    </div>
  );
}
