import type { KeyListing } from "../../../records/accounts/accounts.repository.ts";
import { MAX_FOLDER_CHARACTERS } from "../../../records/media/folder.ts";
import { MEDIA_STATUSES } from "../../../records/media/media.states.ts";
import { REDACTION_CATEGORIES } from "../../../ground/vocabulary/categories.ts";
import { MEDIA_TYPES } from "../../../ground/vocabulary/media-values.ts";
import { DASHBOARD_PATH } from "../request/dashboard.http.ts";
import { APPROVED, CORRECTED, TO_REVIEW, type MediaQuery } from "./media-query.ts";
import { STATUS_TEXTS, shownName } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";

/** The filters of a media list. Sorting and display stay as they are. */
export function MediaFilters({
  query,
  keys,
  folders,
}: {
  query: MediaQuery;
  keys: readonly KeyListing[];
  /** The suggestions of the folder field. */
  folders: readonly string[];
}) {
  const { category, found, folder, key, from, until } = query;
  const isBackwards = from !== undefined && until !== undefined && from > until;
  const hasMore = [category, found, folder, key, from, until].some((value) => (value ?? "") !== "");
  return (
    <form class="filters" method="get" action={`${DASHBOARD_PATH}/media`} role="search">
      <div class="field">
        <label for="search">Name or ID</label>
        <input id="search" name="search" type="search" value={query.search} maxlength={255} />
      </div>
      <Choice
        name="status"
        label="Status"
        value={query.status}
        options={[
          ...MEDIA_STATUSES.map((status) => [status, STATUS_TEXTS[status]] as const),
          [TO_REVIEW, "Waiting for review"],
          [APPROVED, "Approved"],
          [CORRECTED, "Corrected"],
        ]}
      />
      <Choice
        name="type"
        label="Type"
        value={query.type}
        options={MEDIA_TYPES.map((type) => [type, shownName(type)])}
      />
      {(["sort", "order", "view"] as const).map(
        (name) => query[name] !== undefined && <input type="hidden" name={name} value={query[name]} />,
      )}
      <button class="plain">
        <Icon name="search" />
        Search
      </button>
      <details class="more" open={hasMore}>
        <summary>More filters</summary>
        <div class="filters">
          <Choice
            name="category"
            label="Looked for"
            value={query.category}
            options={REDACTION_CATEGORIES.map((name) => [name, shownName(name)])}
          />
          <Choice
            name="found"
            label="Found in photos"
            value={query.found}
            options={REDACTION_CATEGORIES.map((name) => [name, shownName(name)])}
          />
          <div class="field">
            <label for="folder">Folder</label>
            <input
              id="folder"
              name="folder"
              value={folder}
              maxlength={MAX_FOLDER_CHARACTERS}
              list="folders"
              autocomplete="off"
            />
            <datalist id="folders">
              {folders.map((name) => (
                <option value={name} />
              ))}
            </datalist>
          </div>
          {keys.length > 0 && (
            <Choice
              name="key"
              label="Uploaded with key"
              value={query.key}
              options={keys.map(({ id, name, revokedAt }) => [
                id,
                revokedAt === null ? name : `${name} (revoked)`,
              ])}
            />
          )}
          <div class="field">
            <label for="from">From (UTC)</label>
            <input id="from" name="from" type="date" value={query.from} />
          </div>
          <div class="field">
            <label for="until">Until (UTC)</label>
            <input
              id="until"
              name="until"
              type="date"
              value={until}
              aria-invalid={isBackwards ? "true" : undefined}
              aria-describedby={isBackwards ? "until-fault" : undefined}
            />
            {isBackwards && (
              <p class="fault" id="until-fault">
                From is later than Until, so nothing can match.
              </p>
            )}
          </div>
        </div>
      </details>
    </form>
  );
}

function Choice({
  name,
  label,
  value,
  options,
}: {
  name: string;
  label: string;
  value: string | undefined;
  options: readonly (readonly [value: string, text: string])[];
}) {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">All</option>
        {options.map(([option, text]) => (
          <option value={option} selected={option === value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}
