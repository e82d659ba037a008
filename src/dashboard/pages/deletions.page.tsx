import type { DeletionsResponse } from "../../media/deletions.schemas.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { deletionsAddress, type DeletionsQuery } from "../request/deletions-query.ts";
import { Moment, shownNumber, shownSize } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";

const PATH = `${DASHBOARD_PATH}/deletions`;
const ACTORS = { user: "", api_key: "API key ", operator: "Operator of this service" } as const;

type Deletion = DeletionsResponse["data"][number];

/** What was deleted, when and by whom, and what is left of it: to be printed and kept. */
export function DeletionsPage({
  viewer,
  query,
  record,
  next,
}: {
  viewer: Viewer;
  query: DeletionsQuery;
  record: DeletionsResponse;
  next: string | undefined;
}) {
  const { data } = record;
  const actions = (
    <div class="actions">
      <button type="button" class="primary" data-print hidden>
        Print
      </button>
      {(["csv", "json"] as const).map((format) => (
        <a class="button" href={deletionsAddress(`${PATH}/export`, { ...query, format })} download>
          <Icon name="download" />
          {format.toUpperCase()}
        </a>
      ))}
    </div>
  );
  return (
    <Page viewer={viewer} title="Deletion record" section="Media" actions={actions} script="deletions">
      <section class="panel proofs" aria-label="Deleted files">
        <Filters query={query} />
        {data.length === 0 ? (
          <div class="empty">
            <p>No deletions match.</p>
          </div>
        ) : (
          <>
            <Summary viewer={viewer} record={record} />
            <ol>
              {data.map((deletion) => (
                <Proof deletion={deletion} />
              ))}
            </ol>
          </>
        )}
        {next !== undefined && (
          <nav class="pages" aria-label="Pages">
            <a class="button" rel="next" href={deletionsAddress(PATH, { ...query, after: next })}>
              Older
            </a>
          </nav>
        )}
      </section>
    </Page>
  );
}

function Filters({ query: { from, until, file } }: { query: DeletionsQuery }) {
  return (
    <form class="filters trail" method="get" action={PATH} role="search">
      <div class="field">
        <label for="from">From (UTC)</label>
        <input id="from" name="from" type="date" value={from} />
      </div>
      <div class="field">
        <label for="until">Until (UTC)</label>
        <input id="until" name="until" type="date" value={until} />
      </div>
      <div class="field">
        <label for="file">File name</label>
        <input id="file" name="file" value={file} maxlength={255} autocomplete="off" />
      </div>
      <button class="plain">
        <Icon name="search" />
        Show
      </button>
    </form>
  );
}

/** What the record says in one sentence. */
function Summary({
  viewer,
  record: { checked_at: checkedAt, data },
}: {
  viewer: Viewer;
  record: DeletionsResponse;
}) {
  const left = data.filter((one) => one.objects_left + one.rows_left > 0).length;
  const purgeAgainAt = data
    .map((one) => one.purge_again_at)
    .filter((at) => at !== null)
    .sort()
    .at(-1);
  const files = data.length === 1 ? "file" : "files";
  return (
    <div class="proof-summary">
      <p>
        {`${viewer.team?.name ?? ""}: ${shownNumber(data.length)} deleted ${files}. Checked `}
        <Moment ms={Date.parse(checkedAt)} />
        {": "}
        <strong>
          {left === 0
            ? "no object in storage and no row with content is left."
            : `${shownNumber(left)} of them ${left === 1 ? "has" : "have"} something left.`}
        </strong>
      </p>
      {purgeAgainAt !== undefined && (
        <p class="soft">
          {"Storage will be cleared once more after "}
          <Moment ms={Date.parse(purgeAgainAt)} />
          {", in case a running job wrote something."}
        </p>
      )}
      <p class="soft">
        The name digest is an HMAC-SHA256 of the file name with a key of your team. Enter a name under File
        name to check it. Records are kept for a year.
      </p>
    </div>
  );
}

function Proof({ deletion: one }: { deletion: Deletion }) {
  const { type, id, name } = one.deleted_by;
  const facts: readonly (readonly [string, unknown])[] = [
    ["ID", <code>{one.media_id}</code>],
    ...(one.revision_of === null ? [] : [["Version of", <code>{one.revision_of}</code>] as const]),
    ["Name digest", <code>{one.file_name_digest}</code>],
    ["SHA-256 of the original", <Hash value={one.source_sha256} />],
    ["SHA-256 of the result", <Hash value={one.result_sha256} />],
    ["Uploaded", <Moment ms={Date.parse(one.uploaded_at)} />],
    ["Deleted", <Moment ms={Date.parse(one.deleted_at)} />],
    ["Deleted by", type === "operator" ? ACTORS[type] : `${ACTORS[type]}${name ?? id}`],
    ["Left", `${shownNumber(one.objects_left)} objects, ${shownNumber(one.rows_left)} rows`],
  ];
  return (
    <li>
      <h2>{one.file_name ?? (one.media_type === "image" ? "Photo" : "Video")}</h2>
      <small>{shownSize(one.file_size_bytes)}</small>
      <dl>
        {facts.map(([term, value]) => (
          <div>
            <dt>{term}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </li>
  );
}

function Hash({ value }: { value: string | null }) {
  return value === null ? <>not known</> : <code>{value}</code>;
}
