import type { DeletionsResponse } from "../../../records/deletions/deletions.schemas.ts";
import { DASHBOARD_PATH, type Viewer } from "../request/dashboard.http.ts";
import { deletionsAddress, type DeletionsQuery } from "./deletions-query.ts";
import { Moment, shownNumber, shownSize } from "../parts/format.tsx";
import { Icon } from "../parts/icons.tsx";
import { Page } from "../parts/layout.tsx";

const PATH = `${DASHBOARD_PATH}/deletions`;
const ACTORS = { user: "", api_key: "API key ", operator: "Operator of this service" } as const;

type Deletion = DeletionsResponse["data"][number];

/** The deletion record, to print and keep: what was deleted, when and by whom, and what is left of it. */
export function DeletionsPage({
  viewer,
  query,
  record,
  next,
  emails,
}: {
  viewer: Viewer;
  query: DeletionsQuery;
  record: DeletionsResponse;
  next: string | undefined;
  /** Email addresses of people who deleted files, by user ID. */
  emails: ReadonlyMap<string, string>;
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
                <Proof deletion={deletion} email={emails.get(deletion.deleted_by.id)} />
              ))}
            </ol>
            <PrintedProofs data={data} />
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

function Filters({ query: { id, request, from, until, file } }: { query: DeletionsQuery }) {
  return (
    <form class="filters trail" method="get" action={PATH} role="search">
      {id !== undefined && <input type="hidden" name="id" value={id} />}
      {request !== undefined && <input type="hidden" name="request" value={request} />}
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

/** The record in one sentence. */
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
  const corrections = data.filter((one) => one.revision_of !== null).length;
  const counted = [
    countedIn(data.length - corrections, "upload"),
    ...(corrections === 0 ? [] : [countedIn(corrections, "later version")]),
  ].join(", ");
  return (
    <div class="proof-summary">
      <p>
        {`${countedIn(data.length, "file")} of team ${viewer.team?.name ?? ""} ${data.length === 1 ? "was" : "were"} deleted (${counted}). `}
        <strong>
          {left === 0
            ? "Nothing is left of them in storage or the database."
            : `${shownNumber(left)} of them ${left === 1 ? "has" : "have"} something left.`}
        </strong>
        {" Checked "}
        <Moment ms={Date.parse(checkedAt)} />.
      </p>
      {purgeAgainAt !== undefined && (
        <p class="soft">
          {"A second cleanup follows at "}
          <Moment ms={Date.parse(purgeAgainAt)} />
          {" as a precaution."}
        </p>
      )}
      <p class="soft">
        {data.some((one) => one.file_name !== null) ? (
          "Your team keeps file names in plain text. Names not shown are stored only as fingerprints; to check such a file, enter its exact name. "
        ) : (
          <>
            File names are stored only as fingerprints. To check a file, enter its exact name. Owners can{" "}
            <a href={`${DASHBOARD_PATH}/audit#names-title`}>keep file names in plain text</a>.{" "}
          </>
        )}
        Records are kept for a year.
      </p>
    </div>
  );
}

function countedIn(number: number, noun: string): string {
  return `${shownNumber(number)} ${noun}${number === 1 ? "" : "s"}`;
}

function Proof({ deletion: one, email }: { deletion: Deletion; email: string | undefined }) {
  const facts: readonly (readonly [string, unknown])[] = [
    ["ID", <code>{one.media_id}</code>],
    ...(one.revision_of === null ? [] : [["Version of", <code>{one.revision_of}</code>] as const]),
    ["Name fingerprint", <code>{one.file_name_digest}</code>],
    ["SHA-256 of the original", <Hash value={one.source_sha256} />],
    ["SHA-256 of the result", <Hash value={one.result_sha256} />],
    ["Uploaded", <Moment ms={Date.parse(one.uploaded_at)} />],
    ...(one.version_made_at === null
      ? []
      : [["Version made", <Moment ms={Date.parse(one.version_made_at)} />] as const]),
    ["Deleted", <Moment ms={Date.parse(one.deleted_at)} />],
    ["Deleted by", `${actorOf(one)}${email === undefined ? "" : ` (${email})`}`],
    ["Request", <code>{one.request_id}</code>],
    ["Remaining", leftOf(one)],
  ];
  return (
    <li>
      <h2>{titleOf(one)}</h2>
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

function titleOf({ file_name: name, media_type: type }: Deletion): string {
  return name ?? (type === "image" ? "Photo" : "Video");
}

function actorOf({ deleted_by: { type, id, name } }: Deletion): string {
  return type === "operator" ? ACTORS[type] : `${ACTORS[type]}${name ?? id}`;
}

function leftOf({ objects_left: objects, rows_left: rows }: Deletion): string {
  const left = [
    ...(objects === 0 ? [] : [countedIn(objects, "object")]),
    ...(rows === 0 ? [] : [countedIn(rows, "row")]),
  ];
  return left.join(", ") || "nothing";
}

const PRINTED = [
  "File",
  "ID",
  "SHA-256 of the original",
  "SHA-256 of the result",
  "Uploaded",
  "Deleted",
  "By",
  "Left",
];

/** The printed record, with one row per file. */
function PrintedProofs({ data }: { data: readonly Deletion[] }) {
  return (
    <table class="printed">
      <thead>
        <tr>
          {PRINTED.map((name) => (
            <th scope="col">{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {data.map((one) => (
          <tr>
            <th scope="row">
              {titleOf(one)}
              {one.revision_of !== null && ", later version"}
            </th>
            <td>
              <code>{one.media_id}</code>
            </td>
            <td>
              <Hash value={one.source_sha256} />
            </td>
            <td>
              <Hash value={one.result_sha256} />
            </td>
            <td>
              <Moment ms={Date.parse(one.uploaded_at)} />
            </td>
            <td>
              <Moment ms={Date.parse(one.deleted_at)} />
            </td>
            <td>{actorOf(one)}</td>
            <td>{leftOf(one)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Hash({ value }: { value: string | null }) {
  return value === null ? <>not known</> : <code>{value}</code>;
}
