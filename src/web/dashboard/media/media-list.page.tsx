import type { KeyListing } from "../../../records/accounts/accounts.repository.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { deletionsAddress } from "./deletions-query.ts";
import { addressOf, type MediaQuery } from "./media-query.ts";
import type { ListedReviews } from "../parts/listed-reviews.data.ts";
import { shownNumber } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";
import { MediaFilters } from "./media-filters.tsx";
import { MediaList, type OtherVersions } from "../parts/media-list.tsx";
import { RetryForm } from "../parts/retry.tsx";
import { SELECTION_FORM, SelectionBar } from "./selection-bar.tsx";
import { UploadLink } from "../upload/upload-form.tsx";

const PATH = `${DASHBOARD_PATH}/media`;
const DELETIONS_PATH = `${DASHBOARD_PATH}/deletions`;

/** The list of a team's media, with filters and sorting. */
export function MediaListPage({
  viewer,
  query,
  rows,
  others,
  reviews,
  retryable,
  hasMore,
  keys,
  folders,
  baseUrl,
  notice,
  hasDeleted,
  deletedBy,
  keepsNames,
}: {
  viewer: Viewer;
  query: MediaQuery;
  rows: readonly MediaRow[];
  others: OtherVersions;
  reviews: ListedReviews;
  retryable: ReadonlySet<string>;
  hasMore: boolean;
  keys: readonly KeyListing[];
  folders: readonly string[];
  baseUrl: string;
  notice: string | undefined;
  /** Whether files of the team were deleted within the time that records are kept. */
  hasDeleted: boolean;
  /** The request that has just deleted files, if there is one. */
  deletedBy: string | undefined;
  /** Whether the names of deleted files are kept. */
  keepsNames: boolean;
}) {
  const { search, status, type, category, found, folder, key, from, until } = query;
  const isFiltered = [search, status, type, category, found, folder, key, from, until].some(
    (value) => (value ?? "") !== "",
  );
  const isNew = rows.length === 0 && !isFiltered && query.page === 1;
  return (
    <Page
      viewer={viewer}
      title="Media"
      section="Media"
      notice={
        notice !== undefined && deletedBy !== undefined ? (
          <>
            {`${notice} `}
            <a href={deletionsAddress(DELETIONS_PATH, { request: deletedBy })}>See the deletion record</a>.
          </>
        ) : (
          notice
        )
      }
      actions={
        <div class="actions">
          <a class="button" href={DELETIONS_PATH}>
            Deleted files
          </a>
          <UploadLink />
        </div>
      }
      script="mediaList"
    >
      <section class="panel" aria-label="Media">
        <MediaFilters query={query} keys={keys} folders={folders} />
        <div
          class="part"
          id="media-found"
          data-part
          data-version={
            rows.length === 0 ? "none" : `${isFiltered ? rows.length : "some"} ${retryable.size > 0}`
          }
        >
          {isNew && hasDeleted && (
            <div class="empty">
              <p>
                All files are deleted. See the <a href={DELETIONS_PATH}>deletion record</a>.
              </p>
            </div>
          )}
          {isNew && !hasDeleted && <FirstSteps baseUrl={baseUrl} />}
          {rows.length === 0 && !isNew && <NoMatches />}
          {found !== undefined && type !== "image" && (
            <p class="soft">Videos are not searched by what was found.</p>
          )}
          {rows.length > 0 && (
            <>
              {isFiltered && <p class="soft">{shownCount(rows.length, hasMore, query.page)}</p>}
              <SelectionBar
                viewer={viewer}
                query={query}
                hasRetryable={retryable.size > 0}
                keepsNames={keepsNames}
              />
              <RetryForm viewer={viewer} />
              <MediaList
                rows={rows}
                others={others}
                reviews={reviews}
                retryable={retryable}
                view={query.view ?? "list"}
                selectionForm={SELECTION_FORM}
                heads={<SortHeads query={query} />}
              />
            </>
          )}
        </div>
        <Pages query={query} hasMore={hasMore} />
      </section>
    </Page>
  );
}

/** How many files match, if that is known without counting beyond this page. */
function shownCount(rows: number, hasMore: boolean, page: number): string {
  if (hasMore) return `More than ${shownNumber(rows * page)} files match.`;
  if (page > 1) return `${shownNumber(rows)} more ${rows === 1 ? "file matches" : "files match"}.`;
  return `${shownNumber(rows)} ${rows === 1 ? "file matches" : "files match"}.`;
}

const HEADS = [
  { by: "name", title: "Name", place: "head-name", first: "asc" },
  { by: "size", title: "Size", place: "head-size", first: "desc" },
  { by: "uploaded", title: "Uploaded", place: "head-when", first: "desc" },
] as const;

/** The column headings; a click sorts by one, a second click reverses the order. */
function SortHeads({ query }: { query: MediaQuery }) {
  const by = query.sort ?? "uploaded";
  const order = query.order === "asc" ? "asc" : "desc";
  return (
    <nav class="row-heads" aria-label="Sort by">
      {HEADS.map((head) => {
        const isCurrent = head.by === by;
        const next = isCurrent ? (order === "asc" ? "desc" : "asc") : head.first;
        const sorted = order === "asc" ? "ascending" : "descending";
        return (
          <a
            class={head.place}
            href={addressOf(PATH, { ...query, sort: head.by, order: next, page: 1 })}
            aria-current={isCurrent ? "true" : undefined}
            data-order={isCurrent ? order : undefined}
          >
            {head.title}
            {isCurrent && <span class="unseen">{`, ${sorted}`}</span>}
          </a>
        );
      })}
      <span class="head-what">Categories</span>
      <span class="head-status">Status</span>
    </nav>
  );
}

function Pages({ query, hasMore }: { query: MediaQuery; hasMore: boolean }) {
  return (
    <div class="part" id="media-pages" data-part data-version={`${query.page} ${hasMore}`}>
      {(query.page > 1 || hasMore) && (
        <nav class="pages" aria-label="Pages">
          {query.page > 1 && (
            <a class="button" rel="prev" href={addressOf(PATH, { ...query, page: query.page - 1 })}>
              Previous
            </a>
          )}
          <span>{`Page ${query.page}`}</span>
          {hasMore && (
            <a class="button" rel="next" href={addressOf(PATH, { ...query, page: query.page + 1 })}>
              Next
            </a>
          )}
        </nav>
      )}
    </div>
  );
}

function NoMatches() {
  return (
    <div class="empty">
      <p>No matches.</p>
      <p>
        <a class="button" href={PATH}>
          Show all media
        </a>
      </p>
    </div>
  );
}

/** The first steps, for a team that has not uploaded anything. */
function FirstSteps({ baseUrl }: { baseUrl: string }) {
  return (
    <div class="first-steps">
      <h2>No media yet</h2>
      <ol>
        <li>
          <Icon name="upload" />
          <span>
            <a href={`${DASHBOARD_PATH}/upload`}>Upload</a> photos, videos or whole folders, and choose what
            to redact.
          </span>
        </li>
        <li>
          <Icon name="media" />
          <span>
            Each file appears here with its status. Open it to compare the result with the original.
          </span>
        </li>
        <li>
          <Icon name="download" />
          <span>Download one file, a selection, or all of them as a ZIP.</span>
        </li>
      </ol>
      <p class="soft">
        To do the same from a program, <a href={`${DASHBOARD_PATH}/keys`}>create an API key</a> and read the{" "}
        <a href="/docs">API reference</a>:
      </p>
      <pre tabindex={0}>
        {`curl -H "Authorization: Bearer $VEIL_API_KEY" -F file=@photo.jpg -F "categories[]=heads" ${baseUrl}/media/redact`}
      </pre>
    </div>
  );
}
